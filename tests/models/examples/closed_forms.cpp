#include "models/examples/affine/affine.hpp"
#include "models/examples/dahlquist_coupled/dahlquist_coupled.hpp"
#include "models/examples/loop_a/loop_a.hpp"
#include "models/examples/loop_b/loop_b.hpp"
#include "models/examples/tank/tank.hpp"
#include "models/examples/tank_controller/tank_controller.hpp"
#include "models/examples/thermostat/thermostat.hpp"
#include "models/reference/bouncing_ball/bouncing_ball.hpp"
#include "models/reference/dahlquist/dahlquist.hpp"
#include "models/reference/stair/stair.hpp"
#include "models/reference/state_space/state_space.hpp"

#include <catch2/catch.hpp>
#include <cmath>

namespace {

// A few hundred operations with numbers of order one.
constexpr double rounding = 1e-13;

}  // namespace

TEST_CASE("Dahlquist's equation decays exactly, whatever the step") {
    models::Dahlquist model;
    model.parameters.k = 3;
    for (const double h : {0.1, 0.25, 0.65}) model.step(0, h);
    CHECK(std::abs(model.state.x - std::exp(-3.0)) < rounding);
}

TEST_CASE("the ball's impacts come at the times of the closed form") {
    models::BouncingBall ball;
    std::vector<double> impacts;
    double t = 0;
    while (impacts.size() < 3) {
        const models::Advance advance = ball.step(t, 0.1);
        t = advance.reached;
        if (advance.event) {
            impacts.push_back(t);
            CHECK(ball.update(t));
        }
    }
    // Printed to nine digits.
    CHECK(std::abs(impacts[0] - 0.451523641) < 5e-10);
    CHECK(std::abs(impacts[1] - 1.083656738) < 5e-10);
    CHECK(std::abs(impacts[2] - 1.526149907) < 5e-10);
}

TEST_CASE("the ball comes to rest on the floor and stays there") {
    models::BouncingBall ball;
    double t = 0;
    while (t < 5) {
        const models::Advance advance = ball.step(t, 5 - t);
        t = advance.reached;
        if (advance.event) ball.update(t);
    }
    CHECK(ball.state.resting);
    CHECK(ball.state.v == 0);
    CHECK(ball.state.h < 1e-300);
    ball.evaluate(t);
    CHECK(ball.indicator > 0);
    CHECK(ball.rates.v == 0);
}

TEST_CASE("a ball thrown upwards without gravity never comes down") {
    models::BouncingBall ball;
    ball.parameters.g = 0;
    ball.state.v = 1;
    CHECK(ball.step(0, 10).reached == 10);
    CHECK(ball.state.h == 11);
}

TEST_CASE("the stair counts seconds and ends at ten") {
    models::Stair stair;
    stair.initialize(2);
    CHECK(stair.next_event() == 3);
    stair.update(2.5);
    CHECK(stair.state.counter == 1);
    for (int t = 3; t < 12; ++t) {
        CHECK_FALSE(stair.finished());
        stair.update(t);
    }
    CHECK(stair.state.counter == 10);
    CHECK(stair.finished());
}

TEST_CASE("a linear system of changed size multiplies row by row") {
    models::StateSpace system;
    system.sizes = {.m = 1, .n = 2, .r = 3};
    system.configure();
    system.parameters.A = {1, 2, 3, 4};
    system.parameters.B = {5, 6};
    system.parameters.C = {1, 0, 0, 1, 1, 1};
    system.parameters.D = {7, 8, 9};
    system.parameters.x0 = {10, 20};
    system.u = {0.5};
    system.initialize(0);
    system.evaluate(0);
    CHECK(system.rate == models::StateSpace::Vector{52.5, 113});
    CHECK(system.y == models::StateSpace::Vector{13.5, 24, 34.5});
}

TEST_CASE("the coupled Dahlquist equation is exact for inputs that are straight lines") {
    models::DahlquistCoupled model;
    model.parameters = {.g = 2, .x0 = 1};
    model.initialize(0);
    model.inputs.u = 0.5;
    model.slopes.u = 3;
    model.step(0, 0.7);
    // x' = -x + 2 (0.5 + 3 t), x(0) = 1: x = 6 t - 5 + 6 e^-t
    CHECK(std::abs(model.state.x - (6 * 0.7 - 5 + 6 * std::exp(-0.7))) < rounding);
}

TEST_CASE("the coupled Dahlquist equation follows the recurrence of held inputs") {
    const double h = 0.01, gain = 10;
    models::DahlquistCoupled a, b;
    a.parameters = {.g = gain, .x0 = 1};
    b.parameters = {.g = -gain, .x0 = 0};
    a.initialize(0);
    b.initialize(0);
    for (int i = 0; i < 100; ++i) {
        a.inputs.u = b.state.x;
        b.inputs.u = a.state.x;
        a.step(i * h, h);
        b.step(i * h, h);
    }
    // Jacobi, L = 10, h = 0.01, t = 1.
    CHECK(std::abs(a.state.x - -0.504655876375) < 1e-12);
    CHECK(std::abs(b.state.x - 0.339179567917) < 1e-12);
}

TEST_CASE("the tank fills linearly and empties exponentially") {
    models::Tank tank;
    tank.initialize(0);
    tank.step(0, 2);
    CHECK(tank.state.V == 2);
    tank.inputs.valve = true;
    tank.step(2, 2.360972520);  // from level 2 to level 1, printed to nine digits
    CHECK(std::abs(tank.state.V - 1) < 1e-9);
}

TEST_CASE("the tank's valve opens at the upper level and closes at the lower one") {
    models::TankController controller;
    const auto valve_at = [&](double level) {
        controller.inputs.level = level;
        controller.step(0, 0.1);
        return controller.outputs.valve;
    };
    CHECK_FALSE(valve_at(1.9));
    CHECK(valve_at(2));
    CHECK(valve_at(1.5));
    CHECK_FALSE(valve_at(1));
    CHECK_FALSE(valve_at(1.9));
}

TEST_CASE("the thermostat heats from half a band below to half a band above its set point") {
    models::Thermostat thermostat;
    const auto power_at = [&](double celsius) {
        thermostat.inputs.T_celsius = celsius;
        thermostat.step(0, 10);
        return thermostat.outputs.power_kilowatt;
    };
    CHECK(power_at(19.6) == 0);
    CHECK(power_at(19.4) == 2);
    CHECK(power_at(20.4) == 2);
    CHECK(power_at(20.5) == 0);
    CHECK(power_at(19.6) == 0);
}

TEST_CASE("the nonlinear loop has its known solution and is no number where the root is negative") {
    models::LoopA a;
    models::LoopB b;
    a.inputs.c = 1.1645751311;
    a.evaluate(0);
    b.inputs = {.a = a.outputs.a, .b = a.outputs.b};
    b.evaluate(0);
    CHECK(std::abs(b.outputs.c - 1.1645751311) < 1e-10);
    b.inputs = {.a = 1.8, .b = -1.8};
    b.evaluate(0);
    CHECK(std::isnan(b.outputs.c));
}
