#include "models/work/planning/trajectory.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using models::planning::Axes;
using models::planning::AxisLimits;
using models::planning::Trajectory;

namespace {

constexpr std::size_t axes = 2;
const AxisLimits limits{.forward = {0.1, 0.05}, .backward = {0.2, 0.05}, .acceleration = {0.3, 0.2}};

Trajectory straight(const Axes& from, const Axes& to) {
    Trajectory trajectory;
    trajectory.path.add(from);
    models::planning::add_line(trajectory.path, to, 100);
    models::planning::plan(trajectory, axes, limits);
    return trajectory;
}

/// Largest speeds and accelerations over the trajectory, against the limits, by differences of 1 ms.
double worst_share(const Trajectory& trajectory) {
    constexpr double h = 1e-3;
    double worst = 0;
    for (double t = h; t < trajectory.duration() - h; t += h) {
        const Axes a = trajectory.at(t - h), b = trajectory.at(t), c = trajectory.at(t + h);
        for (std::size_t i = 0; i < axes; ++i) {
            const double speed = (c[i] - b[i]) / h, acceleration = (c[i] - 2 * b[i] + a[i]) / (h * h);
            worst = std::max(worst, std::abs(speed) / (speed > 0 ? limits.forward[i] : limits.backward[i]));
            // One sample may straddle a corner of the profile or of the path.
            worst = std::max(worst, std::abs(acceleration) / limits.acceleration[i] / 1.02);
        }
    }
    return worst;
}

}  // namespace

TEST_CASE("a long straight way is a trapezoid, as fast as the slowest axis allows") {
    // Axis 0: 0.4 m at 0.1 m/s and 0.3 m/s^2 takes 0.4 / 0.1 + 0.1 / 0.3 s; axis 1 needs less.
    const Trajectory trajectory = straight({0, 0}, {0.4, 0.1});
    CHECK(trajectory.duration() == Approx(4 + 1.0 / 3).epsilon(0.005));
    CHECK(worst_share(trajectory) <= 1 + 1e-6);
    CHECK(trajectory.at(0) == Axes{0, 0});
    CHECK(trajectory.at(trajectory.duration()) == Axes{0.4, 0.1});
}

TEST_CASE("a short straight way is a triangle") {
    const Trajectory trajectory = straight({0, 0}, {0.01, 0});
    CHECK(trajectory.duration() == Approx(2 * std::sqrt(0.01 / 0.3)).epsilon(0.005));
    CHECK(worst_share(trajectory) <= 1 + 1e-6);
}

TEST_CASE("a way back uses the speed of that direction") {
    const Trajectory trajectory = straight({0.4, 0}, {0, 0});
    CHECK(trajectory.duration() == Approx(0.4 / 0.2 + 0.2 / 0.3).epsilon(0.005));
}

TEST_CASE("all axes arrive together and keep to the line") {
    const Trajectory trajectory = straight({0, 1}, {0.4, 0.8});
    for (double t = 0; t < trajectory.duration(); t += 0.01) {
        const Axes at = trajectory.at(t);
        CHECK(at[1] == Approx(1 - at[0] / 2).margin(1e-12));
    }
}

TEST_CASE("a bent way keeps to the limits of every axis") {
    Trajectory trajectory;
    for (int k = 0; k <= 60; ++k) {
        const double angle = 3.0 * k / 60;
        trajectory.path.add({0.1 * std::cos(angle), 0.1 * std::sin(angle)});
    }
    models::planning::plan(trajectory, axes, limits);
    // Piecewise straight: a bend is an impulse in the differences, so only speeds are looked at here.
    constexpr double h = 1e-3;
    for (double t = 0; t < trajectory.duration() - h; t += h) {
        const Axes a = trajectory.at(t), b = trajectory.at(t + h);
        for (std::size_t i = 0; i < axes; ++i) {
            const double speed = (b[i] - a[i]) / h;
            CHECK(std::abs(speed) <= (speed > 0 ? limits.forward[i] : limits.backward[i]) * (1 + 1e-6));
        }
    }
    CHECK(trajectory.duration() > 0.3 / 0.1);
    CHECK(trajectory.duration() < 12);
}

TEST_CASE("a way of one knot takes no time") {
    Trajectory trajectory;
    trajectory.path.add({0.3, 0.2});
    models::planning::plan(trajectory, axes, limits);
    CHECK(trajectory.duration() == 0);
    CHECK(trajectory.at(1) == Axes{0.3, 0.2});
}
