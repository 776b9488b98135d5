#include "models/machine/hydraulics/plant.hpp"

#include "models/machine/hydraulics/machines.hpp"
#include "tests/models/machine/hydraulics/boom_axis.hpp"
#include "tests/models/machine/hydraulics/working_cycle.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>

namespace {

using namespace models::hydraulics;

using tests::plant_step;

Plant excavator_plant() {
    const Machine machine = demolition_excavator();
    Plant plant;
    plant.parameters = machine.parameters;
    plant.names = machine.names;
    return plant;
}

bool all_finite(const State& state) {
    bool finite = std::isfinite(state.fluid.supply) && std::isfinite(state.fluid.flow_rate);
    for (std::size_t i = 0; i < most_axes; ++i)
        finite = finite && std::isfinite(state.fluid.a[i]) && std::isfinite(state.fluid.b[i]);
    return finite;
}

}  // namespace

TEST_CASE("the plant starts with the given force, pushing or pulling") {
    for (const double force : {90e3, 0.0, -40e3}) {
        Plant plant = tests::boom_plant(force);
        plant.initialize(0);
        plant.evaluate(0);
        CHECK(plant.outputs.force[0] == Approx(force).margin(1e-6));
        CHECK(plant.state.fluid.a[0] >= 0);
        CHECK(plant.state.fluid.b[0] >= 0.5e6);
    }
}

TEST_CASE("a copy of the plant goes on as the original does, with either solver") {
    for (const Solver solver : {Solver::rosenbrock, Solver::cvode}) {
        tests::WorkingCycle cycle(solver);
        for (int i = 0; i < 1200; ++i) cycle.step(i * plant_step, plant_step);
        tests::WorkingCycle copy = cycle;
        for (int i = 1200; i < 1300; ++i) {
            cycle.step(i * plant_step, plant_step);
            copy.step(i * plant_step, plant_step);
        }
        CHECK(std::memcmp(&cycle.plant.state, &copy.plant.state, sizeof(State)) == 0);
    }
}

TEST_CASE("an axis at its end reaches the relief pressure and leaves the others their flow") {
    Plant plant = excavator_plant();
    plant.initialize(0);
    plant.inputs[6] = {.command = 1, .position = 0.3};
    plant.inputs[4] = {.command = 0.6, .position = 0.2};
    double slewed = 0;
    for (int i = 0; i < 3000; ++i) {
        // The slew cylinder gives way at 3 MPa.
        plant.inputs[4].velocity = plant.state.fluid.a[4] > 3e6 ? 0.05 : 0;
        plant.inputs[4].position = 0.2;
        slewed += plant_step * plant.inputs[4].velocity;
        plant.step(0, plant_step);
    }
    CHECK(plant.state.fluid.a[6] == Approx(plant.parameters.supply.relief_pressure).epsilon(0.03));
    CHECK(slewed > 0.04);
}

TEST_CASE("the pump's power stays at its limit, which a limit of the demand alone passes by the pump's lag") {
    const auto largest_power = [](Solver solver, double limit, double& energy_missing) {
        tests::WorkingCycle cycle(solver);
        cycle.plant.parameters.supply.max_power = 15e3;
        cycle.plant.parameters.supply.max_delivered_power = limit;
        double largest = 0;
        for (int i = 0; i < 6000; ++i) {
            cycle.step(i * plant_step, plant_step);
            const Plant& plant = cycle.plant;
            largest = std::max(largest, plant.outputs.power);
            CHECK(plant.outputs.power == Approx(plant.state.fluid.supply * plant.outputs.flow_rate));
        }
        const Energy& energy = cycle.plant.state.energy;
        energy_missing = (energy.pump - energy.throttle_in - energy.throttle_out - energy.leak - energy.relief -
                          energy.compression - energy.work) /
                         energy.pump;
        return largest;
    };
    constexpr double ledger = 1e-4;
    for (const Solver solver : {Solver::rosenbrock, Solver::cvode}) {
        double missing = 1;
        CHECK(largest_power(solver, 0, missing) > 1.02 * 15e3);
        CHECK(std::abs(missing) < ledger);
        CHECK(largest_power(solver, 15e3, missing) == Approx(15e3));
        CHECK(std::abs(missing) < ledger);
    }
}

TEST_CASE("when the pump saturates, two axes share its flow in proportion to their openings") {
    Plant plant = excavator_plant();
    plant.parameters.supply.max_flow_rate = 20e-3 / 60;
    plant.initialize(0);
    plant.inputs[0] = {.command = 1, .position = 0.2};
    plant.inputs[6] = {.command = 1, .position = 0.1};
    // Both give way at their own pressure, far apart: 8 and 2 MPa.
    double boom = 0, jaw = 0;
    for (int i = 0; i < 4000; ++i) {
        plant.inputs[0].velocity = std::max(0.0, (plant.state.fluid.a[0] - 8e6) * 1e-7);
        plant.inputs[6].velocity = std::max(0.0, (plant.state.fluid.a[6] - 2e6) * 1e-7);
        plant.inputs[0].position = 0.2;
        plant.inputs[6].position = 0.1;
        plant.step(0, plant_step);
        if (i < 3000) continue;
        boom += plant.inputs[0].velocity * plant.parameters.axes[0].area_a;
        jaw += plant.inputs[6].velocity * plant.parameters.axes[6].area_a;
    }
    CHECK(boom / jaw == Approx(plant.parameters.axes[0].gain_pa / plant.parameters.axes[6].gain_pa).epsilon(0.02));
    const double leak = plant.parameters.supply.leak * plant.state.fluid.supply;
    CHECK((boom + jaw) / 1000 + leak == Approx(20e-3 / 60).epsilon(0.02));
}

TEST_CASE("a counterbalance valve keeps a load that the open valve would drop") {
    const auto outflow = [](double set) {
        Plant plant = tests::boom_plant(90e3);
        plant.parameters.axes[0].counterbalance_a = set;
        plant.initialize(0);
        plant.state.spools.position[0] = -0.5;
        plant.state.fluid.b[0] = 0;
        plant.inputs[0] = {.command = -0.5, .position = 0.2};
        plant.evaluate(0);
        return -plant.rates.fluid.a[0];
    };
    CHECK(outflow(0) > 1e7);     // Pa/s
    CHECK(outflow(13e6) < 1e6);  // leakage only
    CHECK(outflow(13e6) >= 0);
}

TEST_CASE("no input gives anything but finite pressures or a clear end") {
    for (const double extreme : {0.0, 1e-300, 1.0, 50.0, 1e6, 1e300}) {
        for (const double sign : {-1.0, 1.0}) {
            Plant plant = excavator_plant();
            plant.initialize(0);
            for (auto& input : plant.inputs)
                input = {.command = sign * extreme, .position = sign * extreme, .velocity = 0};
            for (int i = 0; i < 50; ++i) plant.step(0, plant_step);
            CHECK(all_finite(plant.state));
            plant.inputs[2].velocity = sign * extreme;
            try {
                for (int i = 0; i < 5; ++i) plant.step(0, plant_step);
                plant.evaluate(0);
                CHECK(all_finite(plant.state));
            } catch (const std::runtime_error& error) {
                CHECK(std::string(error.what()).find("too fast") != std::string::npos);
            }
        }
    }
}

TEST_CASE("impossible parameters are refused by name") {
    const auto message = [](auto change) -> std::string {
        Plant plant = excavator_plant();
        change(plant.parameters);
        try {
            plant.initialize(0);
        } catch (const std::runtime_error& error) {
            return error.what();
        }
        return "accepted";
    };
    CHECK_THAT(message([](Parameters& p) { p.axes[2].area_a = -1; }), Catch::StartsWith("arm.area_a = -1"));
    CHECK_THAT(message([](Parameters& p) { p.axes[4].stroke = 0; }), Catch::StartsWith("slew.stroke = 0"));
    CHECK_THAT(message([](Parameters& p) { p.axes[5].area_b = 1; }), Catch::StartsWith("rotate.area_b"));
    CHECK_THAT(message([](Parameters& p) { p.supply.relief_pressure = -28e6; }),
               Catch::StartsWith("supply.relief_pressure"));
    CHECK_THAT(message([](Parameters& p) { p.supply.max_delivered_power = -1; }),
               Catch::StartsWith("supply.max_delivered_power"));
    CHECK_THAT(message([](Parameters& p) { p.valve.dead_zone = 1; }), Catch::StartsWith("valve.dead_zone"));
    CHECK_THAT(message([](Parameters& p) { p.oil.bulk_modulus = std::numeric_limits<double>::infinity(); }),
               Catch::StartsWith("oil.bulk_modulus"));
    CHECK(message([](Parameters&) {}) == "accepted");
}
