#include "tests/models/machine/hydraulics/ode.hpp"

#include <algorithm>
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <stdexcept>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

namespace tests {

namespace {

int callback(realtype t, N_Vector values, N_Vector rates, void* data) {
    const auto size = static_cast<std::size_t>(N_VGetLength(values));
    const double* from = N_VGetArrayPointer(values);
    const Numbers y(from, from + size);
    Numbers result(size, 0.0);
    (*static_cast<const Rates*>(data))(t, y, result);
    std::copy(result.begin(), result.end(), N_VGetArrayPointer(rates));
    return 0;
}

}  // namespace

void integrate(const Rates& rates, Numbers& y, double from, double to, double relative, const Numbers& absolute) {
    SUNContext context = nullptr;
    SUNContext_Create(nullptr, &context);
    const auto size = static_cast<sunindextype>(y.size());
    N_Vector values = N_VNew_Serial(size, context);
    N_Vector tolerances = N_VNew_Serial(size, context);
    std::copy(y.begin(), y.end(), N_VGetArrayPointer(values));
    std::copy(absolute.begin(), absolute.end(), N_VGetArrayPointer(tolerances));
    SUNMatrix matrix = SUNDenseMatrix(size, size, context);
    SUNLinearSolver solver = SUNLinSol_Dense(values, matrix, context);
    void* memory = CVodeCreate(CV_BDF, context);
    CVodeInit(memory, callback, from, values);
    CVodeSVtolerances(memory, relative, tolerances);
    CVodeSetUserData(memory, const_cast<Rates*>(&rates));
    CVodeSetLinearSolver(memory, solver, matrix);
    CVodeSetMaxNumSteps(memory, 1'000'000);
    CVodeSetStopTime(memory, to);
    double reached = from;
    const int flag = CVode(memory, to, values, &reached, CV_NORMAL);
    std::copy_n(N_VGetArrayPointer(values), y.size(), y.begin());
    CVodeFree(&memory);
    SUNLinSolFree(solver);
    SUNMatDestroy(matrix);
    N_VDestroy(tolerances);
    N_VDestroy(values);
    SUNContext_Free(&context);
    if (flag < 0) throw std::runtime_error("the reference integration failed");
}

}  // namespace tests
