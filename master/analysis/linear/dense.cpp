#include "master/analysis/linear/dense.hpp"

namespace master::analysis {

Eigen::MatrixXd dense(const Matrix& matrix) {
    const auto rows = static_cast<Eigen::Index>(matrix.rows), columns = static_cast<Eigen::Index>(matrix.columns);
    Eigen::MatrixXd result(rows, columns);
    for (Eigen::Index i = 0; i < rows; ++i)
        for (Eigen::Index k = 0; k < columns; ++k)
            result(i, k) = matrix(static_cast<std::size_t>(i), static_cast<std::size_t>(k));
    return result;
}

Matrix matrix_of(const Eigen::MatrixXd& dense) {
    Matrix result(static_cast<std::size_t>(dense.rows()), static_cast<std::size_t>(dense.cols()));
    for (Eigen::Index i = 0; i < dense.rows(); ++i)
        for (Eigen::Index k = 0; k < dense.cols(); ++k)
            result(static_cast<std::size_t>(i), static_cast<std::size_t>(k)) = dense(i, k);
    return result;
}

}  // namespace master::analysis
