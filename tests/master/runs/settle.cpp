#include "master/runs/settle.hpp"

#include "tests/support/bench.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <map>

using namespace master;

namespace {

const base::Fraction settling_step{1, 100};
constexpr double lead = 5;  // s

// A carriage between a spring that is slack at x0 and a damper: d x' = k (x0 - x) + load. Its load comes up from f0
// with a lag: T f' = weight - f. At rest f = weight and x = x0 + weight / k, wherever both started.
constexpr double spring_stiffness = 40, damping = 8, weight = -10, lag = 0.2;

tests::TestModel carriage(double x0) {
    return {.inputs = {"load"},
            .outputs = {"x"},
            .x = {x0},
            .u = {0},
            .derivative = [x0](double, const auto& x, const auto& u) -> std::vector<double> {
                return {(spring_stiffness * (x0 - x[0]) + u[0]) / damping};
            },
            .output = [](const auto& x, const auto&) -> std::vector<double> { return {x[0]}; },
            .exact = {},
            .feedthrough = {}};
}

tests::TestModel ballast(double f0) {
    return {
        .inputs = {},
        .outputs = {"f"},
        .x = {f0},
        .u = {},
        .derivative = [](double, const auto& x, const auto&) -> std::vector<double> { return {(weight - x[0]) / lag}; },
        .output = [](const auto& x, const auto&) -> std::vector<double> { return {x[0]}; },
        .exact = {},
        .feedthrough = {}};
}

/// Alone, with a solution of its own.
tests::TestModel source(const std::function<double(double)>& solution) {
    return {.inputs = {},
            .outputs = {"y"},
            .x = {0},
            .u = {},
            .derivative = {},
            .output = [solution](const auto& t, const auto&) -> std::vector<double> { return {solution(t[0])}; },
            .exact = [](const auto& t, const auto&, double h) -> std::vector<double> { return {t[0] + h}; },
            .feedthrough = {}};
}

/// The part of a simulation that settling looks at, of units that are initialised already.
build::Simulation simulation_of(tests::Bench& bench) {
    bench.make();
    build::Simulation simulation;
    build::Timing& timing = simulation.timing;
    timing.timebase = bench.system->timebase();
    timing.start = bench.system->start() + *timing.timebase.exactly({static_cast<std::int64_t>(lead), 1});
    timing.lead = timing.start - bench.system->start();
    simulation.algorithm = core::find_algorithm("jacobi", "test").make({.threads = 1});
    simulation.system = std::move(bench.system);
    return simulation;
}

/// What a description says of a unit whose `parameter` starts its `output`.
void add_settled_start(build::Simulation& simulation, const std::string& unit, const ssp::SettledStart& start,
                       double value) {
    const std::size_t index = simulation.parts.components.size();
    build::Parts::Component& component = simulation.parts.components.emplace_back();
    component.resized = std::make_unique<fmi::ModelDescription>();
    core::UnitInfo& info = component.resized->info;
    info = simulation.system->nodes()[index].unit->info();
    component.info = &info;
    core::PlannedUnit planned{.name = unit};
    planned.effective.push_back({.variable = static_cast<std::uint32_t>(info.variables.size()),
                                 .value = std::vector<double>{value},
                                 .origin = {}});
    info.variables.emplace_back().name = start.parameter;
    simulation.parts.plan.units.push_back(planned);
    simulation.parts.description.components.emplace_back().settles.push_back(start);
}

}  // namespace

TEST_CASE("a settled run starts where its parameters want it, with the parameters that an equilibrium there needs") {
    constexpr double wanted = 1.5;
    std::vector<std::map<std::string, double>> rounds;
    const auto make = [&](const std::vector<std::string>& corrections) {
        std::map<std::string, double> values{{"carriage.x0", wanted}, {"ballast.f0", 0}};
        for (const std::string& correction : corrections) {
            const std::size_t equals = correction.find('=');
            values.at(correction.substr(0, equals)) = std::stod(correction.substr(equals + 1));
        }
        rounds.push_back(values);
        tests::Bench bench(settling_step);
        bench.unit("carriage", carriage(values.at("carriage.x0"))).unit("ballast", ballast(values.at("ballast.f0")));
        bench.wire("ballast.f", "carriage.load");
        build::Simulation simulation = simulation_of(bench);
        add_settled_start(simulation, "carriage", {.output = "x", .parameter = "x0", .where = {}},
                          values.at("carriage.x0"));
        add_settled_start(simulation, "ballast", {.output = "f", .parameter = "f0", .guess = true, .where = {}},
                          values.at("ballast.f0"));
        return simulation;
    };
    base::Diagnostics diagnostics;
    build::Simulation settled = runs::settle(make, diagnostics);

    // Both time constants are 0.2 s: after 5 s less than 1e-9 of a start is left.
    constexpr double forgotten = 1e-8;
    REQUIRE(rounds.size() == 2);
    CHECK(rounds.back().at("carriage.x0") == Approx(wanted - weight / spring_stiffness).margin(forgotten));
    CHECK(rounds.back().at("ballast.f0") == Approx(weight).margin(forgotten));
    const std::vector<double>& outputs = settled.system->signals().outputs.reals;
    CHECK(outputs[0] == Approx(wanted).margin(forgotten));
    CHECK(outputs[1] == Approx(weight).margin(forgotten));
    REQUIRE(diagnostics.findings().size() == 1);
    CHECK(diagnostics.findings().front().text.find("settled for 5 s before the start, in 2 rounds") == 0);
}

TEST_CASE("how far a system is from rest is the change over the last tenth of its lead") {
    tests::Bench bench(settling_step);
    bench.unit("decay", source([](double t) { return std::exp(-t); }));
    bench.unit("constant", source([](double) { return 1e6; }));
    build::Simulation simulation = simulation_of(bench);
    const runs::Rest rest = runs::run_lead(simulation);
    CHECK(rest.signal == "decay.y");
    CHECK(rest.change == Approx((std::exp(-0.9 * lead) - std::exp(-lead)) / (0.1 * lead)));
    CHECK(rest.at_rest());
}

TEST_CASE("a system that still moves at its start is reported with the signal that moves most") {
    base::Diagnostics diagnostics;
    const auto make = [](const std::vector<std::string>&) {
        tests::Bench bench(settling_step);
        bench.unit("slow", source([](double t) { return 100 + t; })).unit("ramp", source([](double t) {
                                                                              return 2 * t;
                                                                          }));
        return simulation_of(bench);
    };
    (void)runs::settle(make, diagnostics);
    REQUIRE(diagnostics.findings().size() == 1);
    // The ramp is 10 at the start of the run and rises by 2 every second.
    CHECK(diagnostics.findings().front().text.find("'ramp.y' still changes by 0.2 of its size per second") !=
          std::string::npos);
}
