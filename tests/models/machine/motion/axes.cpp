#include "models/machine/motion/axes.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <stdexcept>

namespace {

using namespace models::motion;

constexpr double h = 1e-3;

Axes one_axis(double start) {
    Axes axes;
    axes.names[0] = "jaw";
    axes.parameters.axes[0].initial_position = start;
    axes.initialize(0);
    return axes;
}

}  // namespace

TEST_CASE("the speed curve has the tabulated speeds, none inside the dead zone, and saturates") {
    const Speeds boom{.extend = 0.0867162064979194, .retract = 0.11262686804157711};
    CHECK(steady_speed(0.4, boom) == Approx(0.034238063121086265));
    CHECK(steady_speed(-0.5, boom) == Approx(-0.05389707598591052));
    CHECK(steady_speed(0.25, boom) == Approx((0.007546908406990928 + 0.021599276802125214) / 2));
    CHECK(steady_speed(0.15, boom) == 0);
    CHECK(steady_speed(-0.1, boom) == 0);
    CHECK(steady_speed(7, boom) == Approx(boom.extend));
    CHECK(steady_speed(-7, boom) == Approx(-boom.retract));
}

TEST_CASE("an axis follows a command with its lag, whatever the step") {
    for (const int parts : {1, 10}) {
        Axes axes = one_axis(0.1);
        axes.command[0] = 1;
        for (int i = 0; i < 50 * parts; ++i) axes.step(0, h / parts);
        const double v = axes.parameters.axes[0].speeds.extend, lag = axes.parameters.lag, t = 0.05;
        CHECK(axes.state.velocity[0] == Approx(v * (1 - std::exp(-t / lag))));
        CHECK(axes.state.position[0] == Approx(0.1 + v * (t - lag * (1 - std::exp(-t / lag)))));
    }
}

TEST_CASE("an axis stops at its ends and reports relief pressure only while it is pushed there") {
    Axes axes = one_axis(0.48);
    axes.command[0] = 1;
    for (int i = 0; i < 1000; ++i) axes.step(0, h);
    CHECK(axes.state.position[0] == 0.5);
    CHECK(axes.state.velocity[0] == 0);
    CHECK(axes.state.pressure_a[0] == 28e6);
    CHECK(axes.state.pressure_b[0] == 0);
    axes.command[0] = -1;
    axes.step(0, h);
    CHECK(axes.state.pressure_a[0] == 0);
    for (int i = 0; i < 10000; ++i) axes.step(0, h);
    CHECK(axes.state.position[0] == 0);
    CHECK(axes.state.pressure_b[0] == 28e6);
}

TEST_CASE("a linkage may stop an axis before its cylinder's own end") {
    Axes axes = one_axis(0.1);
    axes.parameters.axes[0].lower = 0.07;
    axes.command[0] = -1;
    for (int i = 0; i < 2000; ++i) axes.step(0, h);
    CHECK(axes.state.position[0] == 0.07);
    CHECK(axes.state.pressure_b[0] == 28e6);
}

TEST_CASE("a motor has no ends") {
    Axes axes;
    axes.parameters.axes[0] = {.limited = false, .stroke = 0, .speeds = {1, 1}};
    axes.initialize(0);
    axes.command[0] = -1;
    for (int i = 0; i < 10000; ++i) axes.step(0, h);
    CHECK(axes.state.position[0] == Approx(-10 + axes.parameters.lag));
}

TEST_CASE("a start outside the stroke is refused by name") {
    CHECK_THROWS_WITH(one_axis(0.6), Catch::StartsWith("jaw.initial_position = 0.6"));
    CHECK_THROWS_AS(one_axis(-0.1), std::runtime_error);
    Axes axes;
    axes.names[0] = "coupler";
    axes.parameters.axes[0].lower = 0.6;
    CHECK_THROWS_WITH(axes.initialize(0), Catch::StartsWith("coupler.lower = 0.6"));
}
