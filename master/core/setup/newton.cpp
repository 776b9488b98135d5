#include "master/core/setup/newton.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace master::core {
namespace {

double scale(double u) { return std::max(1.0, std::abs(u)); }

/// Largest residual relative to the size of its unknown.
double norm(const std::vector<double>& r, const std::vector<double>& u) {
    double largest = 0;
    for (std::size_t i = 0; i < r.size(); ++i) largest = std::max(largest, std::abs(r[i]) / scale(u[i]));
    return largest;
}

/// By difference quotients from r(u); nothing when a value is not a number there.
std::optional<Eigen::MatrixXd> jacobian_at(const Residual& residual, const std::vector<double>& u,
                                           const std::vector<double>& r) {
    const auto size = static_cast<Eigen::Index>(u.size());
    Eigen::MatrixXd jacobian(size, size);
    std::vector<double> moved = u, shifted(u.size());
    for (Eigen::Index column = 0; column < size; ++column) {
        const auto c = static_cast<std::size_t>(column);
        const double delta = std::sqrt(std::numeric_limits<double>::epsilon()) * scale(u[c]);
        moved[c] = u[c] + delta;
        if (!residual(moved, shifted)) return std::nullopt;
        for (Eigen::Index row = 0; row < size; ++row) {
            const auto i = static_cast<std::size_t>(row);
            jacobian(row, column) = (shifted[i] - r[i]) / (moved[c] - u[c]);
        }
        moved[c] = u[c];
    }
    return jacobian;
}

/// Divides rows and columns by the root of their largest entries until those are about one (D. Ruiz, A scaling
/// algorithm to equilibrate both rows and columns norms in matrices, 2001): a pressure beside a flow makes no matrix
/// singular.
void equilibrate(Eigen::MatrixXd& matrix) {
    constexpr int rounds = 20;
    const auto factor = [](double largest) { return largest > 0 ? 1 / std::sqrt(largest) : 1.0; };
    for (int round = 0; round < rounds; ++round) {
        const Eigen::VectorXd rows = matrix.cwiseAbs().rowwise().maxCoeff().unaryExpr(factor);
        const Eigen::VectorXd columns = matrix.cwiseAbs().colwise().maxCoeff().transpose().unaryExpr(factor);
        matrix = rows.asDiagonal() * matrix * columns.asDiagonal();
    }
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
        const std::optional<Eigen::MatrixXd> jacobian = jacobian_at(residual, u, r);
        if (!jacobian) {
            result.status = Status::no_number;
            return result;
        }
        std::vector<double> moved = u;
        const Eigen::VectorXd step =
            -jacobian->completeOrthogonalDecomposition().solve(Eigen::Map<const Eigen::VectorXd>(r.data(), size));
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

bool is_singular(const Residual& residual, const std::vector<double>& u) {
    constexpr double rounding = 1e-6;  // of difference quotients, with room
    std::vector<double> r(u.size());
    if (!residual(u, r)) return false;
    std::optional<Eigen::MatrixXd> jacobian = jacobian_at(residual, u, r);
    const bool back = residual(u, r);
    if (!back || !jacobian || !jacobian->allFinite()) return false;
    equilibrate(*jacobian);
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> decomposition;
    decomposition.setThreshold(rounding);
    decomposition.compute(*jacobian);
    return decomposition.rank() < jacobian->cols() || jacobian->cwiseAbs().maxCoeff() < rounding;
}

}  // namespace master::core
