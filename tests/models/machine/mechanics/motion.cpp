#include "models/machine/mechanics/mechanics.hpp"
#include "tests/models/machine/mechanics/machines.hpp"

#include <catch2/catch.hpp>

using models::Mechanics;

namespace {

constexpr double step = 1e-3;

Mechanics started(const models::kinematics::Machine& machine, std::vector<double> positions) {
    Mechanics model(machine);
    for (std::size_t i = 0; i < positions.size(); ++i) model.parameters.axes[i].initial_position = positions[i];
    model.initialize(0);
    model.evaluate(0);
    return model;
}

void advance(Mechanics& model, double t) {
    model.step(t, step);
    model.evaluate(t + step);
}

}  // namespace

TEST_CASE("a freely swinging machine keeps its energy to 1e-6 of the largest kinetic energy over 10 s") {
    auto machine = tests::loaded_excavator();
    machine.axes.clear();
    Mechanics model(machine);
    model.initialize(0);
    model.evaluate(0);
    const double start = model.outputs.kinetic + model.outputs.potential;
    double largest = 0, drift = 0;
    for (int i = 0; i < 10000; ++i) {
        advance(model, i * step);
        largest = std::max(largest, model.outputs.kinetic);
        drift = std::max(drift, std::abs(model.outputs.kinetic + model.outputs.potential - start));
    }
    REQUIRE(largest > 1e4);
    CAPTURE(largest, drift);
    CHECK(drift < 1e-6 * largest);
}

TEST_CASE("the boom alone is the plant of the reference trajectories") {
    // Boom 20 deg, arm -80, bucket 100 deg, each against the link before it: section 6.2.
    auto machine = tests::loaded_excavator();
    Mechanics model(machine);
    const double degree = std::numbers::pi / 180;
    const std::array<double, 3> angles{20 * degree, -80 * degree, 100 * degree};
    for (std::size_t i = 0; i < 3; ++i) {
        model.parameters.axes[i].initial_position = models::kinematics::Linkage(machine, i).position(angles[i]);
        model.parameters.axes[i].locked = i > 0;
    }
    model.initialize(0);
    model.evaluate(0);
    CHECK(model.outputs.position[0] == Approx(0.18831661875103595).epsilon(1e-12));
    CHECK(model.outputs.load[0] == Approx(89853.77917168739).epsilon(1e-12));
    const double arm = 0.5298810360449306;
    CHECK(model.outputs.inertia[0] * arm * arm == Approx(20431.678834336275).epsilon(1e-12));
    model.inputs.force[0] = model.outputs.load[0] + 10000;
    model.evaluate(0);
    CHECK(model.rates.v[0] == Approx(10000 * arm / 20431.678834336275).epsilon(1e-9));
    CHECK(model.rates.v[1] == 0);
    for (int i = 0; i < 100; ++i) advance(model, i * step);
    CHECK(model.state.v[0] > 0);
    CHECK(model.state.v[1] == 0);
    CHECK(model.outputs.position[1] == Approx(model.parameters.axes[1].initial_position).epsilon(1e-12));
}

TEST_CASE("steps of 1 ms follow the exact motion through sticking and slipping") {
    // Forces that move all three axes and reverse them twice.
    const auto run = [](double tolerance, int pieces) {
        Mechanics model = started(tests::loaded_excavator(), {0.2, 0.3, 0.3});
        model.parameters.tolerance = tolerance;
        std::vector<std::array<double, 6>> samples;
        for (int i = 0; i < 3000; ++i) {
            const double t = i * step;
            for (std::size_t axis = 0; axis < 3; ++axis)
                model.inputs.force[axis] = model.outputs.load[axis] +
                                           (axis == 0 ? 2e4 : 8e3) * std::sin(3 * t + 0.5 * static_cast<double>(axis));
            for (int k = 0; k < pieces; ++k) model.step(t, step / pieces);
            model.evaluate(t);
            samples.push_back({model.outputs.position[0], model.outputs.position[1], model.outputs.position[2],
                               model.outputs.velocity[0], model.outputs.velocity[1], model.outputs.velocity[2]});
        }
        return samples;
    };
    const auto exact = run(1e-9, 4);
    double travel = 0, fastest = 0;
    for (const auto& sample : exact)
        for (std::size_t k = 0; k < 3; ++k) {
            travel = std::max(travel, std::abs(sample[k] - exact[0][k]));
            fastest = std::max(fastest, std::abs(sample[3 + k]));
        }
    REQUIRE(travel > 0.1);
    // What 3000 steps add up to: ten times the tolerance gives at most ten times the error.
    for (const auto& [tolerance, allowed] : {std::pair{1e-6, 1e-6}, std::pair{1e-5, 1e-5}}) {
        const auto found = run(tolerance, 1);
        double position = 0, velocity = 0;
        for (std::size_t i = 0; i < found.size(); ++i)
            for (std::size_t k = 0; k < 3; ++k) {
                position = std::max(position, std::abs(found[i][k] - exact[i][k]));
                velocity = std::max(velocity, std::abs(found[i][3 + k] - exact[i][3 + k]));
            }
        CAPTURE(tolerance, position, velocity);
        CHECK(position < allowed * travel);
        CHECK(velocity < 10 * allowed * fastest);
    }
}

TEST_CASE("an axis pushed into its stop comes to rest where the stop carries the force") {
    Mechanics model = started(tests::loaded_excavator(), {0.2, 0.6, 0.3});
    model.parameters.axes[1].friction = {.coulomb = 0, .breakaway = 0};
    const double push = 3e4;
    double deepest = 0;
    for (int i = 0; i < 4000; ++i) {
        for (std::size_t axis = 0; axis < 3; ++axis) model.inputs.force[axis] = model.outputs.load[axis];
        model.inputs.force[1] += push;
        advance(model, i * step);
        deepest = std::max(deepest, model.outputs.position[1] - 0.65);
    }
    CHECK(model.outputs.position[1] - 0.65 == Approx(push / 5e7).epsilon(1e-3));
    CHECK(std::abs(model.outputs.velocity[1]) < 1e-6);
    CHECK(deepest > push / 5e7);
    CHECK(deepest < 0.01);
}

TEST_CASE("an axis below its breakaway force only creeps") {
    Mechanics model = started(tests::loaded_excavator(), {0.2, 0.3, 0.3});
    model.parameters.axes[0].locked = model.parameters.axes[1].locked = true;
    model.initialize(0);
    model.evaluate(0);
    const double push = 3000;
    for (int i = 0; i < 2000; ++i) {
        model.inputs.force[2] = model.outputs.load[2] + push;
        advance(model, i * step);
    }
    // Standstill: breakaway tanh(v / smoothing velocity) + viscous v = push.
    const double v = model.outputs.velocity[2];
    CHECK(6000 * std::tanh(v / 1e-3) == Approx(push).epsilon(0.02));
}

TEST_CASE("friction and end stops can be switched off") {
    auto machine = tests::loaded_excavator();
    Mechanics model = started(machine, {0.2, 0.3, 0.49});
    model.parameters.friction = model.parameters.end_stops = false;
    model.parameters.axes[0].locked = model.parameters.axes[1].locked = true;
    model.initialize(0);
    model.inputs.force[2] = 2e4;
    model.evaluate(0);
    const double start = model.outputs.kinetic + model.outputs.potential;
    const double from = model.outputs.position[2];
    for (int i = 0; i < 100 && model.outputs.position[2] < 0.51; ++i) advance(model, i * step);
    REQUIRE(model.outputs.position[2] > 0.5);
    // What the cylinder did is all that came in.
    CHECK(model.outputs.kinetic + model.outputs.potential - start ==
          Approx(2e4 * (model.outputs.position[2] - from)).epsilon(1e-6));
}

TEST_CASE("a wrench at the tool works like a weight there") {
    const auto with = [](double payload, double force) {
        auto machine = tests::loaded_excavator(payload);
        Mechanics model = started(machine, {0.2, 0.3, 0.3});
        model.inputs.tool[2] = force;
        model.evaluate(0);
        return model;
    };
    // At rest the equilibrium of a payload and of its weight as a force are the same.
    Mechanics weighed = with(200, 0), pulled = with(0, -200 * 9.81);
    for (std::size_t i = 0; i < 3; ++i) pulled.inputs.force[i] = weighed.outputs.load[i];
    pulled.evaluate(0);
    for (std::size_t i = 0; i < 3; ++i) CHECK(std::abs(pulled.rates.v[i]) < 1e-9);
}

TEST_CASE("pitch turns gravity against the machine") {
    // Leaning forward by an angle is raising the boom by it, as far as gravity is concerned.
    auto machine = tests::loaded_excavator();
    Mechanics level(machine), leaning(machine);
    const models::kinematics::Linkage boom(machine, 0);
    level.parameters.axes[0].initial_position = boom.position(0.5);
    leaning.parameters.axes[0].initial_position = boom.position(0.3);
    leaning.inputs.pitch = 0.2;
    for (Mechanics* model : {&level, &leaning}) {
        model->initialize(0);
        model->evaluate(0);
    }
    CHECK(leaning.outputs.load[1] == Approx(level.outputs.load[1]).epsilon(1e-12));
    CHECK(leaning.outputs.load[2] == Approx(level.outputs.load[2]).epsilon(1e-12));
    CHECK(leaning.outputs.potential == Approx(level.outputs.potential).epsilon(1e-12));
}

TEST_CASE("a force that changes over the step is followed") {
    // A ramp in one piece or in a hundred: the same motion.
    Mechanics ramp = started(tests::loaded_excavator(), {0.2, 0.3, 0.3});
    ramp.parameters.tolerance = 1e-9;
    for (std::size_t i = 0; i < 3; ++i) ramp.inputs.force[i] = ramp.outputs.load[i];
    Mechanics pieces = ramp;
    constexpr double slope = 2e6, h = 0.01;
    ramp.force_slopes[0] = pieces.force_slopes[0] = slope;
    ramp.step(0, h);
    const double at_start = pieces.inputs.force[0];
    for (int i = 0; i < 100; ++i) {
        pieces.inputs.force[0] = at_start + slope * h * i / 100;
        pieces.step(h * i / 100, h / 100);
    }
    REQUIRE(pieces.state.v[0] > 1e-4);
    CHECK(ramp.state.v[0] == Approx(pieces.state.v[0]).epsilon(1e-6));
    CHECK(ramp.state.q[0] == Approx(pieces.state.q[0]).epsilon(1e-9));
}

TEST_CASE("a copied model goes on exactly as the original") {
    Mechanics model = started(tests::loaded_excavator(), {0.2, 0.3, 0.3});
    for (int i = 0; i < 10; ++i) advance(model, i * step);
    Mechanics copy = model;
    for (int i = 10; i < 200; ++i) {
        advance(model, i * step);
        advance(copy, i * step);
    }
    CHECK(copy.state.q == model.state.q);
    CHECK(copy.state.v == model.state.v);
}

TEST_CASE("wrong parameters and inputs are named") {
    Mechanics model(tests::loaded_excavator());
    model.parameters.axes[1].initial_position = 2;
    CHECK_THROWS_WITH(model.initialize(0), Catch::Contains("'arm'") && Catch::Contains("0.65"));
    model.parameters.axes[1].initial_position = 0.3;
    model.parameters.axes[0].friction.coulomb = -1;
    CHECK_THROWS_WITH(model.initialize(0), Catch::Contains("'boom'") && Catch::Contains("friction"));
    model = started(tests::loaded_excavator(), {0.2, 0.3, 0.3});
    model.inputs.force[2] = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_WITH(model.step(0, step), Catch::Contains("'bucket'") && Catch::Contains("force"));
    // A falling machine without stops leaves its linkage: an error with the axis and its limits, never a NaN.
    model = started(tests::loaded_excavator(), {0.2, 0.3, 0.3});
    model.parameters.end_stops = false;
    CHECK_THROWS_AS(
        [&] {
            for (int i = 0; i < 10000; ++i) advance(model, i * step);
        }(),
        models::kinematics::RangeError);
}
