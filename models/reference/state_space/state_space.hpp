#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

namespace models {

/// A linear system of any size: x' = A x + B u, y = C x + D u; matrices row by row.
struct StateSpace {
    using Vector = std::vector<double>;

    struct Sizes {
        std::uint64_t m = 3, n = 3, r = 3;  // inputs, states, outputs
    } sizes;
    struct Parameters {
        Vector A, B, C, D, x0;
        auto members() { return std::tie(A, B, C, D, x0); }
    } parameters;
    Vector u, x, rate, y;

    StateSpace() { configure(); }
    void configure();
    void initialize(double) { x = parameters.x0; }
    void evaluate(double t);
    auto members() { return std::tie(sizes, parameters, u, x, rate, y); }
};

}  // namespace models
