#pragma once

#include "master/analysis/linear/matrix.hpp"

#include <Eigen/Core>

namespace master::analysis {

// Between our matrices and those that Eigen solves with. Of one type each: every other expression is compiled anew.
[[nodiscard]] Eigen::MatrixXd dense(const Matrix& matrix);
[[nodiscard]] Matrix matrix_of(const Eigen::MatrixXd& dense);

}  // namespace master::analysis
