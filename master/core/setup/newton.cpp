#include "master/core/setup/newton.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

namespace master::core {
namespace {

double scale(double u) { return std::max(1.0, std::abs(u)); }

/// Largest residual relative to the size of its unknown.
double norm(const std::vector<double>& r, const std::vector<double>& u) {
    double largest = 0;
    for (std::size_t i = 0; i < r.size(); ++i) largest = std::max(largest, std::abs(r[i]) / scale(u[i]));
    return largest;
}

}  // namespace

NewtonResult newton(const Residual& residual, std::vector<double>& u) {
    using Status = NewtonResult::Status;
    constexpr int most_iterations = 50;
    constexpr int most_halvings = 30;
    constexpr double solved = 1e-12;
    constexpr double acceptable = 1e-9;  // where rounding in the units stops further progress
    const auto size = static_cast<Eigen::Index>(u.size());

    NewtonResult result;
    std::vector<double> r(u.size()), shifted(u.size());
    if (!residual(u, r)) {
        result.status = Status::no_number;
        return result;
    }
    double error = norm(r, u);
    while (error > solved && result.iterations < most_iterations) {
        Eigen::MatrixXd jacobian(size, size);
        std::vector<double> moved = u;
        for (Eigen::Index column = 0; column < size; ++column) {
            const auto c = static_cast<std::size_t>(column);
            const double delta = std::sqrt(std::numeric_limits<double>::epsilon()) * scale(u[c]);
            moved[c] = u[c] + delta;
            if (!residual(moved, shifted)) {
                result.status = Status::no_number;
                return result;
            }
            for (Eigen::Index row = 0; row < size; ++row) {
                const auto i = static_cast<std::size_t>(row);
                jacobian(row, column) = (shifted[i] - r[i]) / (moved[c] - u[c]);
            }
            moved[c] = u[c];
        }
        const Eigen::VectorXd step =
            -jacobian.completeOrthogonalDecomposition().solve(Eigen::Map<const Eigen::VectorXd>(r.data(), size));
        ++result.iterations;
        if (!step.allFinite()) break;
        bool better = false;
        bool numbers = true;
        double length = 1;
        for (int halving = 0; halving < most_halvings && !better; ++halving, length /= 2) {
            for (std::size_t i = 0; i < u.size(); ++i) moved[i] = u[i] + length * step[static_cast<Eigen::Index>(i)];
            numbers = residual(moved, shifted);
            better = numbers && norm(shifted, moved) < error;
        }
        if (!better) {
            if (!numbers) result.status = Status::no_number;
            break;
        }
        u = moved;
        r = shifted;
        error = norm(r, u);
    }
    const auto worst = std::ranges::max_element(r, {}, [](double x) { return std::abs(x); });
    result.worst = static_cast<std::size_t>(worst - r.begin());
    result.residual = std::abs(*worst);
    if (error <= acceptable && residual(u, r)) result.status = Status::solved;
    return result;
}

}  // namespace master::core
