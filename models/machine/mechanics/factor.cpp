#include "models/machine/mechanics/factor.hpp"

namespace models::mechanics {

Factor::Factor(const JointMatrix& matrix, std::size_t size) : size_(size) {
    JointVector scaled;  // row i of L D
    for (std::size_t i = 0; i < size; ++i) {
        double diagonal = matrix[i][i];
        for (std::size_t j = 0; j < i; ++j) {
            double sum = matrix[i][j];
            for (std::size_t k = 0; k < j; ++k) sum -= scaled[k] * lower_[j][k];
            scaled[j] = sum;
            lower_[i][j] = sum * inverses_[j];
            diagonal -= sum * lower_[i][j];
        }
        inverses_[i] = 1 / diagonal;
    }
}

void Factor::solve(JointVector& x) const {
    for (std::size_t i = 0; i < size_; ++i)
        for (std::size_t j = 0; j < i; ++j) x[i] -= lower_[i][j] * x[j];
    for (std::size_t i = 0; i < size_; ++i) x[i] *= inverses_[i];
    for (std::size_t i = size_; i-- > 0;)
        for (std::size_t j = 0; j < i; ++j) x[j] -= lower_[i][j] * x[i];
}

JointVector product(const JointMatrix& matrix, const JointVector& vector, std::size_t size) {
    JointVector result{};
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            result[i] += matrix[i][j] * vector[j];
            result[j] += matrix[i][j] * vector[i];
        }
        result[i] += matrix[i][i] * vector[i];
    }
    return result;
}

}  // namespace models::mechanics
