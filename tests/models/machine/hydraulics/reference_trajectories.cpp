#include "tests/models/machine/hydraulics/boom_axis.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <numbers>
#include <sstream>
#include <string>

namespace {

using tests::BoomSystem;
using tests::degree;
using tests::Numbers;
using tests::plant_step;

constexpr double angle_tolerance = 1e-5;              // rad; two solvers agree on the references to 5e-9
constexpr double reference_pressure_tolerance = 5e3;  // Pa; they agree to 9
constexpr double energy_share = 1e-4;                 // of the pump's energy

/// References: the equations of the boom axis, solved apart from this code by an implicit Runge-Kutta method (Radau,
/// 1e-9) and confirmed by a multistep one (BDF); samples of 20 ms. Command: 0 to 0.5 s, a ramp of 0.3 s, held to 3 s,
/// back in 0.3 s. Rows of t,u,theta,omega,pA,pB,pP,Qp,spool,spool_v,x,F_cyl and seven energies.
std::vector<Numbers> read_rows(const std::string& name) {
    std::ifstream file(std::string(TANDEM_TEST_DATA) + "/models/machine/hydraulics/data/" + name);
    std::string line;
    std::getline(file, line);
    std::vector<Numbers> rows;
    while (std::getline(file, line)) {
        Numbers row;
        std::stringstream cells(line);
        for (std::string cell; std::getline(cells, cell, ',');) row.push_back(std::stod(cell));
        rows.push_back(row);
    }
    return rows;
}

struct Deviation {
    double angle = 0, pressure = 0, energy = 0;
};

void widen(double& largest, double difference) { largest = std::max(largest, std::abs(difference)); }

Deviation deviation_from(const std::string& file, double theta, double level) {
    const std::vector<Numbers> rows = read_rows(file);
    REQUIRE(rows.size() > 200);
    BoomSystem system(theta);
    Deviation largest;
    const auto command = [&](double t) { return tests::trapezoid(t, level); };
    for (std::size_t i = 1; i < rows.size(); ++i) {
        // Corners of the command lie on the grid of 20 ms, so every piece is smooth.
        system.advance(command, rows[i - 1][0], rows[i][0]);
        const Numbers& row = rows[i];
        const auto& plant = system.state.plant;
        widen(largest.angle, system.state.theta - row[2]);
        widen(largest.pressure, plant.fluid.a[0] - row[4]);
        widen(largest.pressure, plant.fluid.b[0] - row[5]);
        widen(largest.pressure, plant.fluid.supply - row[6]);
        const auto& energy = plant.energy;
        const double total = rows.back()[12];
        widen(largest.energy, (energy.pump - row[12]) / total);
        widen(largest.energy, (energy.throttle_in - row[13]) / total);
        widen(largest.energy, (energy.throttle_out - row[14]) / total);
        widen(largest.energy, (energy.leak - row[15]) / total);
        widen(largest.energy, (energy.relief - row[16]) / total);
        widen(largest.energy, (system.state.friction_energy - row[17]) / total);
        widen(largest.energy, (energy.compression - row[18]) / total);
    }
    return largest;
}

}  // namespace

TEST_CASE("raising the boom follows the reference trajectory") {
    const Deviation largest = deviation_from("boom_raise.csv", 20 * degree, 0.4);
    CHECK(largest.angle < angle_tolerance);
    CHECK(largest.pressure < reference_pressure_tolerance);
    CHECK(largest.energy < energy_share);
}

TEST_CASE("lowering the boom follows the reference trajectory") {
    const Deviation largest = deviation_from("boom_lower.csv", 40 * degree, -0.35);
    CHECK(largest.angle < angle_tolerance);
    CHECK(largest.pressure < reference_pressure_tolerance);
    CHECK(largest.energy < energy_share);
}

TEST_CASE("holding the boom follows the reference trajectory") {
    const Deviation largest = deviation_from("boom_hold.csv", 20 * degree, 0);
    CHECK(largest.angle < angle_tolerance);
    CHECK(largest.pressure < reference_pressure_tolerance);
    CHECK(largest.energy < energy_share);
}

TEST_CASE("pump energy is what the machine and the losses took") {
    BoomSystem system(20 * degree);
    const tests::BoomMechanics& mechanics = system.mechanics;
    const auto command = [](double t) { return tests::trapezoid(t, 0.4); };
    for (int i = 0; i < 50; ++i) system.advance(command, i * 0.1, (i + 1) * 0.1);
    const auto& energy = system.state.plant.energy;
    const double kinetic = mechanics.inertia * system.state.omega * system.state.omega / 2;
    const double potential =
        9.81 * mechanics.mass_times_radius *
        (std::sin(system.state.theta + mechanics.gravity_angle) - std::sin(20 * degree + mechanics.gravity_angle));
    // Work at the cylinder, seen from the other side of the bond.
    const double work = kinetic + potential + system.state.friction_energy;
    const double rest = energy.pump - energy.throttle_in - energy.throttle_out - energy.leak - energy.relief -
                        energy.compression - work;
    CHECK(energy.pump == Approx(11683.436).epsilon(1e-5));
    CHECK(std::abs(rest) < energy_share * energy.pump);
    CHECK(energy.work == Approx(work).epsilon(1e-6));
}

TEST_CASE("the boom rings with the stiffness of the enclosed oil") {
    BoomSystem system(20 * degree, 0);
    auto& oil = system.plant.parameters.oil;
    oil.internal_leak = oil.external_leak = 0;
    system.state.omega = 1e-3;
    const auto closed = [](double) { return 0.0; };
    double before = system.state.omega, first = 0, last = 0;
    int crossings = 0;
    for (int i = 1; i <= 3000; ++i) {
        system.advance(closed, (i - 1) * plant_step, i * plant_step);
        const double now = system.state.omega;
        if (before < 0 && now >= 0) {
            last = (i - 1 + before / (before - now)) * plant_step;
            if (crossings++ == 0) first = last;
        }
        before = now;
    }
    CHECK((crossings - 1) / (last - first) == Approx(5.7047).margin(5e-4));
}

TEST_CASE("quasi-steady motion has the tabulated speed, pressures and pump flow") {
    struct Point {
        double command, velocity, pa, pb, pp, flow;  // m/s, MPa, l/min
    };
    const Point points[] = {
        {0.3, 0.021599276802125214, 6.253004788574647, 1.4535846885651587, 7.94794755274478, 24.398477721672798},
        {0.4, 0.034238063121086265, 6.188845514531778, 1.3137807968973017, 7.720268014113519, 37.476828483452344},
        {0.6, 0.05574758980964136, 6.0813448943431085, 1.0755682562159596, 7.334472471362104, 59.734856390020795},
        {1.0, 0.0867162064979194, 5.926595046440822, 0.7326422566640761, 6.779043866389371, 91.78114338051509},
        {-0.3, -0.024535254566744383, 9.032739301838797, 7.386975383352173, 9.182181451877192, 16.379418639368897},
        {-0.5, -0.05389707598591052, 8.018379330320787, 5.621658391594993, 7.210978747304069, 32.846157950388104},
        {-1.0, -0.11262686804157711, 5.94093588537902, 2.004345241637473, 3.1821153263792388, 65.76194862235359}};
    const tests::BoomMechanics mechanics;
    const double theta = 20 * degree;
    for (const Point& point : points) {
        // The tabulated point must be at rest: all rates vanish against what one flow alone would cause.
        models::hydraulics::Plant plant = tests::boom_plant(0);
        plant.initialize(0);
        plant.state.fluid.a[0] = point.pa * 1e6;
        plant.state.fluid.b[0] = point.pb * 1e6;
        plant.state.fluid.supply = point.pp * 1e6;
        plant.state.fluid.flow_rate = point.flow * 1e-3 / 60;
        plant.state.spools.position[0] = point.command;
        plant.inputs[0] = {point.command, mechanics.cylinder(theta).position, point.velocity};
        plant.evaluate(0);
        CAPTURE(point.command);
        const double scale = 1e9 / 1e-3 * point.flow * 1e-3 / 60;
        CHECK(std::abs(plant.rates.fluid.a[0]) < 1e-9 * scale);
        CHECK(std::abs(plant.rates.fluid.b[0]) < 1e-9 * scale);
        CHECK(std::abs(plant.rates.fluid.supply) < 1e-9 * scale);
        CHECK(std::abs(plant.rates.fluid.flow_rate) < 1e-9 * point.flow);
        const double force = plant.outputs.force[0] - mechanics.friction(point.velocity);
        CHECK(force == Approx(mechanics.holding_force(theta)).epsilon(1e-9));
    }
}
