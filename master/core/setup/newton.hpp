#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace master::core {

struct NewtonResult {
    enum class Status { solved, not_solved, no_number };
    Status status = Status::not_solved;
    int iterations = 0;
    double residual = 0;    // largest remaining entry
    std::size_t worst = 0;  // and which unknown it belongs to
};

/// Writes r(u); false when a value is not a number there.
using Residual = std::function<bool(const std::vector<double>& u, std::vector<double>& r)>;

/// Solves r(u) = 0 from `u` by Newton's method with a difference quotient Jacobian and a halving line search. Values
/// that are consistent already are accepted as they are, whatever the Jacobian. Leaves the last evaluation at the
/// solution.
[[nodiscard]] NewtonResult newton(const Residual& residual, std::vector<double>& u);

/// True where the Jacobian at the solution `u` is singular, whatever the sizes of the unknowns: others near it solve
/// the equations too, or nothing tells that they do not. Leaves the last evaluation at `u`.
[[nodiscard]] bool is_singular(const Residual& residual, const std::vector<double>& u);

}  // namespace master::core
