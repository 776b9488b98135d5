#include "master/runs/bond_ledger.hpp"

#include "tests/support/bench.hpp"

#include <catch2/catch.hpp>

using namespace master;

namespace {

constexpr double stiffness = 400, mass = 2;  // 2.25 Hz
const base::Fraction step{1, 100};

/// Told a velocity, answers with its force.
tests::TestModel spring() {
    return {.inputs = {"v"},
            .outputs = {"F"},
            .x = {0.1},
            .u = {0},
            .derivative = [](double, const auto&, const auto& u) -> std::vector<double> { return {u[0]}; },
            .output = [](const auto& x, const auto&) -> std::vector<double> { return {-stiffness * x[0]}; },
            .exact = {},
            .feedthrough = {}};
}

/// Told a force, answers with its velocity.
tests::TestModel body() {
    return {.inputs = {"F"},
            .outputs = {"v"},
            .x = {0},
            .u = {0},
            .derivative = [](double, const auto&, const auto& u) -> std::vector<double> { return {u[0] / mass}; },
            .output = [](const auto& x, const auto&) -> std::vector<double> { return {x[0]}; },
            .exact = {},
            .feedthrough = {}};
}

/// Energy of both after a second, and what the ledger says that the coupling made.
struct Energies {
    double before = 0, after = 0, created = 0, transferred = 0;
};

Energies run(const std::string& algorithm, core::Hold hold) {
    tests::Bench bench(step);
    bench.hold = hold;
    bench.algorithm = algorithm;
    bench.unit("spring", spring()).unit("body", body());
    bench.wire("spring.F", "body.F").wire("body.v", "spring.v").bond("bond", 0, 1);
    bench.make();
    build::Simulation simulation;
    simulation.timing.timebase = bench.system->timebase();
    simulation.timing.start = bench.system->start();
    simulation.algorithm = core::find_algorithm(algorithm, "test").make({.threads = 1});
    simulation.system = std::move(bench.system);
    core::System& system = *simulation.system;
    const auto energy = [&] {
        const auto& outputs = system.signals().outputs.reals;
        return outputs[0] * outputs[0] / stiffness / 2 + mass * outputs[1] * outputs[1] / 2;
    };
    runs::BondLedger ledger(simulation);
    REQUIRE_FALSE(ledger.empty());
    Energies result;
    result.before = energy();
    base::Time t = system.start();
    ledger.after_step(t, system.signals());
    for (int i = 0; i < 100; ++i) {
        t = simulation.algorithm->advance(system, t);
        ledger.after_step(t, system.signals());
    }
    result.after = energy();
    result.created = ledger.energies().front().created;
    result.transferred = ledger.energies().front().transferred;
    return result;
}

}  // namespace

TEST_CASE("the ledger of a power bond finds all the energy that a coupling with constant holds creates") {
    // Both sides are integrated exactly, so nothing else can change their energy.
    for (const char* algorithm : {"jacobi", "gauss-seidel"}) {
        const Energies energies = run(algorithm, core::Hold::constant);
        CHECK(energies.created == Approx(energies.after - energies.before).margin(1e-9));
        CHECK(energies.transferred > energies.before);
    }
}

TEST_CASE("stepped side by side a spring and a mass gain energy, one after the other they keep it") {
    const Energies parallel = run("jacobi", core::Hold::constant);
    const Energies sequential = run("gauss-seidel", core::Hold::constant);
    CHECK(parallel.created > 2 * parallel.before);
    CHECK(std::abs(sequential.created) < 0.1 * sequential.before);
    CHECK(std::abs(run("jacobi", core::Hold::compensated).created) < 0.1 * parallel.created);
}
