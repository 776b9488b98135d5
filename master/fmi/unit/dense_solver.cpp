#include "master/fmi/unit/dense_solver.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

namespace master::fmi {
namespace {

std::span<double> elements(SUNMatrix matrix) {
    return {SUNDenseMatrix_Data(matrix), static_cast<std::size_t>(SUNDenseMatrix_LData(matrix))};
}

SUNMatrix clone(SUNMatrix matrix) { return make_dense_matrix(SUNDenseMatrix_Columns(matrix), matrix->sunctx); }

int copy(SUNMatrix from, SUNMatrix to) {
    std::ranges::copy(elements(from), elements(to).data());
    return SUNMAT_SUCCESS;
}

int zero(SUNMatrix matrix) {
    std::ranges::fill(elements(matrix), 0.0);
    return SUNMAT_SUCCESS;
}

/// factor * matrix + unit matrix
int scale_and_add_unit(realtype factor, SUNMatrix matrix) {
    for (double& element : elements(matrix)) element *= factor;
    const sunindextype size = SUNDenseMatrix_Columns(matrix);
    for (sunindextype i = 0; i < size; ++i) SUNDenseMatrix_Column(matrix, i)[i] += 1;
    return SUNMAT_SUCCESS;
}

void subtract(double factor, const double* __restrict what, double* __restrict from, sunindextype count) {
    for (sunindextype i = 0; i < count; ++i) from[i] -= factor * what[i];
}

SUNLinearSolverContent_Dense content(SUNLinearSolver solver) {
    return static_cast<SUNLinearSolverContent_Dense>(solver->content);
}

/// Divides the matrix into lower factor (unit diagonal) and upper factor, in place; row k was exchanged for pivots[k].
/// Returns 0, or the number of the column without a pivot.
sunindextype factorise(double* matrix, sunindextype size, sunindextype* pivots) {
    for (sunindextype k = 0; k < size; ++k) {
        double* column = matrix + k * size;
        const double* largest =
            std::max_element(column + k, column + size, [](double a, double b) { return std::fabs(a) < std::fabs(b); });
        pivots[k] = largest - column;
        if (*largest == 0) return k + 1;
        if (pivots[k] != k) {
            for (sunindextype j = 0; j < size; ++j) std::swap(matrix[j * size + k], matrix[j * size + pivots[k]]);
        }
        const double inverse = 1 / column[k];
        for (sunindextype i = k + 1; i < size; ++i) column[i] *= inverse;
        for (sunindextype j = k + 1; j < size; ++j) {
            double* other = matrix + j * size;
            if (other[k] != 0) subtract(other[k], column + k + 1, other + k + 1, size - k - 1);
        }
    }
    return 0;
}

int set_up(SUNLinearSolver solver, SUNMatrix matrix) {
    content(solver)->last_flag =
        factorise(SUNDenseMatrix_Data(matrix), SUNDenseMatrix_Columns(matrix), content(solver)->pivots);
    return content(solver)->last_flag == 0 ? SUNLS_SUCCESS : SUNLS_LUFACT_FAIL;
}

int solve(SUNLinearSolver solver, SUNMatrix matrix, N_Vector solution, N_Vector right, realtype /*tolerance*/) {
    const sunindextype size = SUNDenseMatrix_Columns(matrix);
    const double* columns = SUNDenseMatrix_Data(matrix);
    const sunindextype* pivots = content(solver)->pivots;
    double* x = N_VGetArrayPointer(solution);
    N_VScale(1, right, solution);
    for (sunindextype k = 0; k < size; ++k) std::swap(x[k], x[pivots[k]]);
    for (sunindextype k = 0; k < size; ++k) {
        if (x[k] != 0) subtract(x[k], columns + k * size + k + 1, x + k + 1, size - k - 1);
    }
    for (sunindextype k = size - 1; k >= 0; --k) {
        x[k] /= columns[k * size + k];
        if (x[k] != 0) subtract(x[k], columns + k * size, x, k);
    }
    content(solver)->last_flag = SUNLS_SUCCESS;
    return SUNLS_SUCCESS;
}

}  // namespace

SUNMatrix make_dense_matrix(sunindextype size, SUNContext context) {
    SUNMatrix matrix = SUNDenseMatrix(size, size, context);
    if (matrix == nullptr) return nullptr;
    matrix->ops->clone = clone;
    matrix->ops->copy = copy;
    matrix->ops->zero = zero;
    matrix->ops->scaleaddi = scale_and_add_unit;
    return matrix;
}

SUNLinearSolver make_dense_solver(N_Vector vector, SUNMatrix matrix, SUNContext context) {
    SUNLinearSolver solver = SUNLinSol_Dense(vector, matrix, context);
    if (solver == nullptr) return nullptr;
    solver->ops->setup = set_up;
    solver->ops->solve = solve;
    return solver;
}

}  // namespace master::fmi
