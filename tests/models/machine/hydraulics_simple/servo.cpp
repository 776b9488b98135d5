#include "models/machine/hydraulics_simple/servo.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <stdexcept>

namespace {

using namespace models::hydraulics_simple;

constexpr double h = 1e-3;
constexpr double mass = 72769, load = 90e3;  // the boom at 20 degrees

/// A mass against gravity on one servo, moved first in each step.
struct LoadedAxis {
    Servo servo;
    double position = 0.2, velocity = 0;

    explicit LoadedAxis(double initial_force) {
        servo.names[0] = "boom";
        servo.parameters.axes[0].initial_force = initial_force;
        servo.inputs[0].position = position;
        servo.initialize(0);
        servo.evaluate(0);
    }
    void step(double command) {
        velocity += h * (servo.outputs.force[0] - load) / mass;
        position += h * velocity;
        servo.inputs[0].command = command;
        servo.inputs[0].position = position;
        servo.inputs[0].velocity = velocity;
        servo.step(0, h);
        servo.evaluate(h);
    }
};

}  // namespace

TEST_CASE("a closed servo holds its load for a minute without sinking") {
    LoadedAxis axis(load);
    for (int i = 0; i < 60000; ++i) axis.step(0);
    CHECK(std::abs(axis.position - 0.2) < 1e-9);
    CHECK(axis.servo.outputs.force[0] == Approx(load));
}

TEST_CASE("a servo that starts without the holding force settles by its stiffness only") {
    LoadedAxis axis(0);
    for (int i = 0; i < 60000; ++i) axis.step(0);
    CHECK(axis.position == Approx(0.2 - load / axis.servo.parameters.axes[0].stiffness).epsilon(1e-6));
}

TEST_CASE("a commanded servo moves with the tabulated speed") {
    LoadedAxis axis(load);
    for (int i = 0; i < 2000; ++i) axis.step(0.4);
    CHECK(axis.velocity == Approx(0.034238063121086265).epsilon(1e-3));
}

TEST_CASE("a blocked servo pushes with relief pressure times area and does not wind up") {
    Servo servo;
    servo.names[0] = "boom";
    servo.initialize(0);
    servo.inputs[0].command = 1;
    for (int i = 0; i < 5000; ++i) {
        servo.step(0, h);
        servo.evaluate(0);
    }
    const auto& axis = servo.parameters.axes[0];
    CHECK(servo.outputs.force[0] == Approx(28e6 * axis.area_a));
    CHECK(servo.outputs.pressure_a[0] == Approx(28e6));
    // Back to half the force within the time that the oil needs, not after unwinding five seconds of travel.
    servo.inputs[0].command = -1;
    const double unload = 28e6 * axis.area_a / axis.stiffness / axis.speeds.retract;
    for (int i = 0; i < 1000 * unload; ++i) {
        servo.step(0, h);
        servo.evaluate(0);
    }
    CHECK(servo.outputs.force[0] < 14e6 * axis.area_a);
}

TEST_CASE("estimated pressures give exactly the force and stay between zero and relief") {
    Servo servo;
    servo.names[0] = "boom";
    servo.initialize(0);
    const auto& axis = servo.parameters.axes[0];
    for (double x = -0.01; x <= 0.01; x += 1e-5) {
        servo.inputs[0].position = x;
        servo.evaluate(0);
        const double a = servo.outputs.pressure_a[0], b = servo.outputs.pressure_b[0];
        CHECK(a * axis.area_a - b * axis.area_b == Approx(servo.outputs.force[0]).margin(1e-6));
        CHECK(std::min(a, b) >= 0);
        CHECK(std::max(a, b) <= 28e6 * (1 + 1e-12));
    }
}

TEST_CASE("axes share the pump's flow when they ask for more than it has") {
    Servo servo;
    servo.parameters.count = 2;
    servo.parameters.supply.max_flow_rate = 1e-3;
    servo.initialize(0);
    servo.inputs[0].command = servo.inputs[1].command = 1;
    for (int i = 0; i < 1000; ++i) {
        servo.inputs[0].position = servo.state.reference[0];
        servo.inputs[1].position = servo.state.reference[1];
        servo.step(0, h);
        servo.evaluate(0);
    }
    const double leak = servo.parameters.supply.leak * servo.state.pressure;
    CHECK(servo.state.flow_rate - leak == Approx(1e-3));
    CHECK(servo.state.speed[0] == Approx(servo.state.speed[1]));
}

TEST_CASE("the delivered power stays at its limit when the load rises faster than the speeds fall") {
    const auto largest_power = [](double delivered) {
        Servo servo;
        servo.parameters.supply.max_power = 5e3;
        servo.parameters.supply.max_delivered_power = delivered;
        servo.initialize(0);
        servo.inputs[0].command = 1;
        double largest = 0;
        for (int i = 0; i < 1000; ++i) {
            // A wall after half a second: the cylinder stands, and its pressure rises to relief.
            if (i < 500) servo.inputs[0].position = servo.state.reference[0];
            servo.step(0, h);
            servo.evaluate(0);
            largest = std::max(largest, servo.outputs.power);
        }
        return largest;
    };
    CHECK(largest_power(0) > 1.1 * 5e3);
    CHECK(largest_power(5e3) == Approx(5e3));
}

TEST_CASE("a servo refuses impossible parameters by name") {
    Servo servo;
    servo.names[0] = "boom";
    servo.parameters.axes[0].stiffness = -1;
    CHECK_THROWS_WITH(servo.initialize(0), Catch::StartsWith("boom.stiffness = -1"));
}
