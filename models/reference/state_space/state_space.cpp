#include "models/reference/state_space/state_space.hpp"

#include <numeric>

namespace models {

namespace {

StateSpace::Vector identity(std::size_t rows, std::size_t columns) {
    StateSpace::Vector matrix(rows * columns, 0.0);
    for (std::size_t i = 0; i < rows && i < columns; ++i) matrix[i * columns + i] = 1;
    return matrix;
}

void add_product(const StateSpace::Vector& matrix, const StateSpace::Vector& vector, StateSpace::Vector& result) {
    for (std::size_t row = 0; row < result.size(); ++row)
        for (std::size_t column = 0; column < vector.size(); ++column)
            result[row] += matrix[row * vector.size() + column] * vector[column];
}

}  // namespace

void StateSpace::configure() {
    const auto& [m, n, r] = sizes;
    parameters = {identity(n, n), identity(n, m), identity(r, n), identity(r, m), Vector(n, 0.0)};
    u.resize(m);
    std::iota(u.begin(), u.end(), 1.0);
    x.assign(n, 0.0);
    rate.assign(n, 0.0);
    y.assign(r, 0.0);
}

void StateSpace::evaluate(double) {
    rate.assign(rate.size(), 0.0);
    add_product(parameters.A, x, rate);
    add_product(parameters.B, u, rate);
    y.assign(y.size(), 0.0);
    add_product(parameters.C, x, y);
    add_product(parameters.D, u, y);
}

}  // namespace models
