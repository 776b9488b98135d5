#pragma once

#include "tests/support/test_unit.hpp"

namespace tests {

/// y = number of steps done.
inline TestModel counter() {
    using Vector = TestModel::Vector;
    return {.outputs = {"y"},
            .x = {0},
            .output = [](const Vector& x, const Vector&) { return x; },
            .exact = [](const Vector& x, const Vector&, double) { return Vector{x[0] + 1}; }};
}

/// Keeps what it was given last: y = u.
inline TestModel keeper() {
    using Vector = TestModel::Vector;
    return {.inputs = {"u"},
            .outputs = {"y"},
            .x = {0},
            .u = {0},
            .output = [](const Vector& x, const Vector&) { return x; },
            .exact = [](const Vector&, const Vector& u, double) { return u; }};
}

}  // namespace tests
