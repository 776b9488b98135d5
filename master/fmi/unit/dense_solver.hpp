#pragma once

#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

namespace master::fmi {

/// SUNDIALS' dense matrix with operations over its columns as plain arrays: the library's own go through two pointers
/// for every element, which made them most of the cost of a small model. Null when there is no memory.
[[nodiscard]] SUNMatrix make_dense_matrix(sunindextype size, SUNContext context);

/// SUNDIALS' dense solver, likewise: LU with partial pivoting that leaves out the zeros of the matrix above its
/// diagonal, of which models made of components have many. Null when there is no memory.
[[nodiscard]] SUNLinearSolver make_dense_solver(N_Vector vector, SUNMatrix matrix, SUNContext context);

}  // namespace master::fmi
