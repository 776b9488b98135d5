#include "models/machine/hydraulics/bordered_matrix.hpp"
#include "models/machine/hydraulics/rosenbrock.hpp"
#include "tests/models/machine/hydraulics/boom_axis.hpp"
#include "tests/models/machine/hydraulics/working_cycle.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

namespace {

using namespace models::hydraulics;

using tests::degree;
using tests::plant_step;

/// All eight axes somewhere in their range, open and closed valves, one pressure below zero and one above relief.
struct RandomPlant {
    explicit RandomPlant(unsigned seed) : generator(seed) {
        const Machine machine = demolition_excavator();
        parameters = machine.parameters;
        for (std::size_t i = 0; i < parameters.count; ++i) {
            inputs[i] = {.command = between(-1, 1),
                         .position = between(0.05, 0.25),
                         .velocity = between(-0.1, 0.1),
                         .velocity_slope = between(-1, 1)};
            fluid.a[i] = between(0.5e6, 20e6);
            fluid.b[i] = between(0.5e6, 20e6);
            spools.position[i] = between(-1, 1);
            spools.velocity[i] = between(-5, 5);
        }
        fluid.a[1] = -between(1e3, 1e5);
        fluid.b[2] = between(33e6, 40e6);
        fluid.supply = between(5e6, 30e6);
        fluid.flow_rate = between(0, 2e-3);
    }
    double between(double low, double high) { return std::uniform_real_distribution(low, high)(generator); }
    [[nodiscard]] Fluid rates_at(const Fluid& at) const { return balance({parameters, inputs, 0, at, spools}).rates; }

    std::mt19937 generator;
    Parameters parameters;
    Inputs inputs{};
    Fluid fluid;
    Spools spools;
};

Fluid moved(const Fluid& from, const Fluid& direction, double distance) {
    Fluid result = from;
    for (std::size_t i = 0; i < most_axes; ++i) {
        result.a[i] += distance * direction.a[i];
        result.b[i] += distance * direction.b[i];
    }
    result.supply += distance * direction.supply;
    result.flow_rate += distance * direction.flow_rate;
    return result;
}

double largest_difference(const State& one, const State& other) {
    double largest = std::abs(one.fluid.supply - other.fluid.supply);
    for (std::size_t i = 0; i < most_axes; ++i)
        largest = std::max(
            {largest, std::abs(one.fluid.a[i] - other.fluid.a[i]), std::abs(one.fluid.b[i] - other.fluid.b[i])});
    return largest;
}

double sum_of_losses(const Energy& energy) {
    return energy.throttle_in + energy.throttle_out + energy.leak + energy.relief + energy.compression + energy.work;
}

}  // namespace

TEST_CASE("the bordered matrix solves with the true Jacobian, also where valves limit") {
    for (unsigned seed = 0; seed < 200; ++seed) {
        RandomPlant plant(seed);
        const double d = plant.between(500, 20000);
        const BorderedMatrix matrix(plant.parameters,
                                    slopes({plant.parameters, plant.inputs, 0, plant.fluid, plant.spools}), d);
        Fluid right;
        for (std::size_t i = 0; i < most_axes; ++i) {
            right.a[i] = plant.between(-1e9, 1e9);
            right.b[i] = plant.between(-1e9, 1e9);
        }
        right.supply = plant.between(-1e9, 1e9);
        right.flow_rate = plant.between(-1, 1);
        const Fluid solution = matrix.solve(right);

        // (d I - J) x = right, with J x as a central difference along x.
        const double distance = 1e-4;
        const Fluid above = plant.rates_at(moved(plant.fluid, solution, distance));
        const Fluid below = plant.rates_at(moved(plant.fluid, solution, -distance));
        const Fluid slope = moved(Fluid{}, moved(above, below, -1), 1 / (2 * distance));
        CAPTURE(seed);
        // The two points are so close that no valve limit lies between them.
        constexpr double tolerance = 1e-5;
        for (std::size_t i = 0; i < most_axes; ++i) {
            CHECK(std::abs(d * solution.a[i] - slope.a[i] - right.a[i]) < tolerance * 1e9);
            CHECK(std::abs(d * solution.b[i] - slope.b[i] - right.b[i]) < tolerance * 1e9);
        }
        CHECK(std::abs(d * solution.supply - slope.supply - right.supply) < tolerance * 1e9);
        CHECK(std::abs(d * solution.flow_rate - slope.flow_rate - right.flow_rate) < tolerance);
    }
}

TEST_CASE("spools follow their differential equation exactly, for every damping ratio") {
    for (const double damping : {0.3, 0.8, 1.0, 2.5}) {
        Parameters parameters;
        parameters.valve.damping = damping;
        Inputs inputs{};
        inputs[0].command = 0.7;
        Spools spools;
        spools.position[0] = -0.2;
        spools.velocity[0] = 3;
        tests::Numbers y{-0.2, 3};
        const double w = parameters.valve.frequency;
        tests::integrate(
            [&](double, const tests::Numbers& now, tests::Numbers& rate) {
                rate = {now[1], w * w * (0.7 - now[0]) - 2 * damping * w * now[1]};
            },
            y, 0, 0.02, 1e-11, {1e-13, 1e-12});
        const Spools after = spools_after(parameters, inputs, spools, 0.02);
        CHECK(after.position[0] == Approx(y[0]).epsilon(1e-8));
        CHECK(after.velocity[0] == Approx(y[1]).epsilon(1e-8));
    }
}

TEST_CASE("the default solver is at least as accurate as CVODE on a working cycle of eight axes") {
    tests::WorkingCycle cycle(Solver::rosenbrock);
    Plant& plant = cycle.plant;
    CvodeSolver cvode, reference;
    State by_cvode = plant.state, exact = plant.state;
    double own_error = 0, cvode_error = 0;
    Effort effort;
    constexpr int begin = 3500, end = 5500;  // four axes at once, the pump saturated
    for (int i = 0; i < begin; ++i) cycle.step(i * plant_step, plant_step);
    by_cvode = exact = plant.state;
    for (int i = begin; i < end; ++i) {
        cycle.move(i * plant_step, plant_step);
        const Effort now = advance(plant.parameters, plant.inputs, plant.state, plant_step);
        effort.accepted += now.accepted;
        effort.rejected += now.rejected;
        cvode.advance(plant.parameters, plant.inputs, by_cvode, plant_step);
        reference.advance(plant.parameters, plant.inputs, exact, plant_step, 1e-3);
        plant.evaluate(0);
        own_error = std::max(own_error, largest_difference(plant.state, exact));
        cvode_error = std::max(cvode_error, largest_difference(by_cvode, exact));
    }
    CHECK(own_error < cvode_error);
    CHECK(own_error < 5e3);  // Pa, of pressures up to 28 MPa
    CHECK(effort.accepted < 2 * (end - begin));
}

TEST_CASE("a resting plant takes one substep per step") {
    Plant plant = tests::boom_plant(90e3);
    plant.initialize(0);
    plant.inputs[0].position = 0.19;
    for (int i = 0; i < 100; ++i) plant.step(0, plant_step);
    const Effort effort = advance(plant.parameters, plant.inputs, plant.state, plant_step);
    CHECK(effort.accepted == 1);
    CHECK(effort.rejected == 0);
}

TEST_CASE("the energy ledger closes, and compression is what the chambers hold") {
    tests::WorkingCycle cycle(Solver::rosenbrock);
    const Plant& plant = cycle.plant;
    double work = 0;
    for (int i = 0; i < 12000; ++i) {
        const PerAxis<double> before = plant.outputs.force;
        cycle.step(i * plant_step, plant_step);
        for (std::size_t k = 0; k < most_axes; ++k)
            work += plant_step * plant.inputs[k].velocity * (before[k] + plant.outputs.force[k]) / 2;
    }
    const Energy& energy = plant.state.energy;
    CHECK(energy.pump > 1e5);
    CHECK(std::abs(energy.pump - sum_of_losses(energy)) < 1e-4 * energy.pump);
    // Independent of the ledger's own quadrature: force times velocity outside.
    CHECK(std::abs(energy.work - work) < 1e-4 * energy.pump);

    // With everything closed and still p V p' / beta integrates to V p^2 / (2 beta).
    Plant still = plant;
    for (AxisInputs& input : still.inputs) input = {.position = 0.2};
    for (int i = 0; i < 500; ++i) still.step(0, plant_step);  // the spools come to rest
    const State begin = still.state;

    for (int i = 0; i < 1000; ++i) still.step(0, plant_step);
    const double leaving = begin.energy.compression - still.state.energy.compression;
    const auto stored = [&](const State& state) {
        double sum = state.fluid.supply * state.fluid.supply * still.parameters.supply.volume;
        for (std::size_t i = 0; i < most_axes; ++i) {
            const AxisParameters& axis = still.parameters.axes[i];
            const double x = axis.motor ? 0 : 0.2, rest = axis.motor ? 0 : axis.stroke - 0.2;
            sum += state.fluid.a[i] * state.fluid.a[i] * (axis.dead_volume_a + axis.area_a * x) +
                   state.fluid.b[i] * state.fluid.b[i] * (axis.dead_volume_b + axis.area_b * rest);
        }
        return sum / (2 * still.parameters.oil.bulk_modulus);
    };
    CHECK(leaving == Approx(stored(begin) - stored(still.state)).epsilon(1e-4));
}

TEST_CASE("the boom axis coupled sequentially at 1 ms ends where the coupling-free reference does") {
    for (const Solver solver : {Solver::rosenbrock, Solver::cvode}) {
        tests::BoomSystem reference(20 * degree);
        const tests::BoomMechanics mechanics;
        Plant plant = tests::boom_plant(mechanics.holding_force(20 * degree));
        plant.solver = solver;
        plant.initialize(0);
        plant.evaluate(0);
        double theta = 20 * degree, omega = 0, pressure_error = 0, angle_error = 0;
        const auto command = [](double t) { return tests::trapezoid(t, 0.4); };
        for (int i = 0; i < 5000; ++i) {
            tests::Numbers y{theta, omega};
            const double force = plant.outputs.force[0];
            tests::integrate(
                [&](double, const tests::Numbers& now, tests::Numbers& rate) {
                    rate = {now[1], mechanics.acceleration(now[0], now[1], force)};
                },
                y, 0, plant_step, 1e-9, {1e-12, 1e-12});
            theta = y[0];
            omega = y[1];
            const auto cylinder = mechanics.cylinder(theta);
            plant.inputs[0] = {
                .command = command(i * plant_step), .position = cylinder.position, .velocity = cylinder.arm * omega};
            plant.step(i * plant_step, plant_step);
            plant.evaluate((i + 1) * plant_step);
            if (i % 20 != 19) continue;
            reference.advance(command, (i - 19) * plant_step, (i + 1) * plant_step);
            pressure_error =
                std::max(pressure_error, std::abs(plant.state.fluid.a[0] - reference.state.plant.fluid.a[0]));
            angle_error = std::max(angle_error, std::abs(theta - reference.state.theta));
        }
        const double travelled = reference.state.theta - 20 * degree;
        CHECK(angle_error < 0.02 * travelled);
        CHECK(pressure_error < 0.02 * 6e6);
    }
}
