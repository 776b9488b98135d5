// A bare Jacobi loop over pairs of units: the errors of the coupling cases belong to the units as much as to a master.
#include "tests/support/fmi3_unit.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <memory>
#include <numbers>

using tests::Fmi3Unit;

namespace {

constexpr double pi = std::numbers::pi;

// The published errors have four digits.
constexpr double digits = 2e-4;

double exact_left(double t) { return (std::cos(2 * pi * t) + std::cos(6 * pi * t)) / 2; }
double exact_right(double t) { return (std::cos(2 * pi * t) - std::cos(6 * pi * t)) / 2; }

/// Gives an output of one unit to an input of the other, held or as a straight line through its last two values.
struct Wire {
    std::string output, input;
    double now = 0, slope = 0;

    void read(const Fmi3Unit& from, double h) {
        const double next = from.get(output);
        slope = h > 0 ? (next - now) / h : 0;
        now = next;
    }
};

/// A unit whose input is extrapolated linearly inside the step, by intermediate update.
std::unique_ptr<Fmi3Unit> linear_unit(const std::string& name, const Wire& wire, const double& step_start) {
    const tests::BuiltFmu facts(tests::built_folder(name, 3), name, 3);
    auto self = std::make_shared<Fmi3Unit*>(nullptr);
    tests::Fmi3Options options;
    options.intermediate = {facts[wire.input].reference};
    options.set_inputs = [self, &wire, &step_start](double t) {
        (*self)->set(wire.input, wire.now + wire.slope * (t - step_start));
    };
    auto unit = std::make_unique<Fmi3Unit>(name, options);
    *self = unit.get();
    return unit;
}

struct Pair {
    const Fmi3Unit &left, &right;
    Wire &to_right, &to_left;
};

/// Jacobi steps up to t = 1; returns the largest error of the two displacements.
double largest_error(const Pair& pair, int steps, double& step_start) {
    const double h = 1.0 / steps;
    for (const Fmi3Unit* unit : {&pair.left, &pair.right}) REQUIRE(unit->enter_initialization() == fmi3OK);
    // The output without feedthrough first, so that the force sees it.
    pair.to_right.read(pair.left, 0);
    REQUIRE(pair.right.set(pair.to_right.input, pair.to_right.now) == fmi3OK);
    pair.to_left.read(pair.right, 0);
    REQUIRE(pair.left.set(pair.to_left.input, pair.to_left.now) == fmi3OK);
    for (const Fmi3Unit* unit : {&pair.left, &pair.right}) REQUIRE((*unit)("fmi3ExitInitializationMode") == fmi3OK);
    double error = 0;
    for (int i = 0; i < steps; ++i) {
        step_start = i * h;
        REQUIRE(pair.right.set(pair.to_right.input, pair.to_right.now) == fmi3OK);
        REQUIRE(pair.left.set(pair.to_left.input, pair.to_left.now) == fmi3OK);
        REQUIRE(pair.left.step(step_start, h).status == fmi3OK);
        REQUIRE(pair.right.step(step_start, h).status == fmi3OK);
        pair.to_right.read(pair.left, h);
        pair.to_left.read(pair.right, h);
        const double t = (i + 1) * h;
        error = std::max(
            {error, std::abs(pair.left.get("x") - exact_left(t)), std::abs(pair.right.get("x") - exact_right(t))});
    }
    return error;
}

}  // namespace

TEST_CASE("the displacement-coupled oscillator has the published errors under Jacobi with constant hold") {
    const double published[] = {4.040e-1, 1.986e-1, 9.885e-2, 4.937e-2};
    for (int level = 0; level < 4; ++level) {
        const Fmi3Unit left("oscillator"), right("oscillator");
        REQUIRE(left.set("x0", 1) == fmi3OK);
        Wire to_right{"x", "x_other"}, to_left{"x", "x_other"};
        double step_start = 0;
        CHECK(largest_error({left, right, to_right, to_left}, 100 << level, step_start) ==
              Approx(published[level]).epsilon(digits));
    }
}

TEST_CASE("the displacement-coupled oscillator has the published errors under Jacobi with linear hold") {
    const double published[] = {3.340e-2, 8.303e-3, 2.074e-3, 5.183e-4};
    for (int level = 0; level < 4; ++level) {
        Wire to_right{"x", "x_other"}, to_left{"x", "x_other"};
        double step_start = 0;
        const auto left = linear_unit("oscillator", to_left, step_start);
        const auto right = linear_unit("oscillator", to_right, step_start);
        REQUIRE(left->set("x0", 1) == fmi3OK);
        CHECK(largest_error({*left, *right, to_right, to_left}, 100 << level, step_start) ==
              Approx(published[level]).epsilon(digits));
    }
}

TEST_CASE("the force-coupled oscillator has the published errors of held outputs") {
    const double published[] = {8.838e-1, 3.663e-1, 1.648e-1, 7.810e-2};
    for (int level = 0; level < 4; ++level) {
        const Fmi3Unit left("mass_left"), right("mass_right");
        Wire to_right{"x", "x_left"}, to_left{"F", "F"};
        double step_start = 0;
        CHECK(largest_error({left, right, to_right, to_left}, 100 << level, step_start) ==
              Approx(published[level]).epsilon(digits));
    }
}

TEST_CASE("the force-coupled oscillator has the published errors under Jacobi with linear hold") {
    const double published[] = {8.014e-2, 1.966e-2, 4.897e-3, 1.223e-3};
    for (int level = 0; level < 4; ++level) {
        Wire to_right{"x", "x_left"}, to_left{"F", "F"};
        double step_start = 0;
        const auto left = linear_unit("mass_left", to_left, step_start);
        const auto right = linear_unit("mass_right", to_right, step_start);
        CHECK(largest_error({*left, *right, to_right, to_left}, 100 << level, step_start) ==
              Approx(published[level]).epsilon(4 * digits));  // four digits of a number that begins with 1
    }
}

TEST_CASE("the quarter car comes near its reference under Jacobi, at order one") {
    double errors[2] = {};
    for (int level = 0; level < 2; ++level) {
        const int steps = 250 << level;  // 8 and 4 ms over 2 s
        const double h = 2.0 / steps;
        const Fmi3Unit chassis("quarter_car_chassis"), wheel("quarter_car_wheel");
        REQUIRE(chassis.initialize() == fmi3OK);
        REQUIRE(wheel.initialize() == fmi3OK);
        double force = wheel.get("F"), velocity = chassis.get("v_c");
        for (int i = 0; i < steps; ++i) {
            REQUIRE(chassis.set("F", force) == fmi3OK);
            REQUIRE(wheel.set("v_c", velocity) == fmi3OK);
            REQUIRE(chassis.step(i * h, h).status == fmi3OK);
            REQUIRE(wheel.step(i * h, h).status == fmi3OK);
            force = wheel.get("F");
            velocity = chassis.get("v_c");
        }
        errors[level] =
            std::max(std::abs(chassis.get("z_c") - 0.091233775351), std::abs(wheel.get("z_w") - 0.098929105635));
    }
    CHECK(errors[0] < 6.03e-3);
    CHECK(errors[1] < 2.95e-3);
    CHECK(errors[0] / errors[1] == Approx(2).epsilon(0.1));
}
