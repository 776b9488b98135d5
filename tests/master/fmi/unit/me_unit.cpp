#include "tests/master/fmi/unit/bench.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

namespace {

// Solver tolerances of the units below, with room for the accumulation over a run.
constexpr double lag_accuracy = 1e-7;

std::uint64_t statistic(const Bench& bench, const std::string& name) {
    for (const auto& [key, value] : bench.unit->statistics()) {
        if (key == name) return value;
    }
    throw std::logic_error("no statistic " + name);
}

struct Lag : Bench {
    Lag() : Bench("lag_fmi3") {}
};

}  // namespace

TEST_CASE("a bouncing ball in model exchange hits the ground at the exact times") {
    Bench bench("ball_fmi2");
    bench.initialize();
    const double impacts[] = {0.451523641, 1.083656738, 1.526149907};
    int found = 0;
    for (int i = 0; i < 200; ++i) {
        bench.step(10);
        if (bench.integer("count") > found && found < 3) {
            CHECK(bench.real("last impact") == Approx(impacts[found]).margin(1e-7));
            ++found;
        }
    }
    CHECK(found == 3);
    CHECK(statistic(bench, "state events") >= 3);
}

TEST_CASE("a ball that never rests ends the run where its impacts accumulate, and does not fall through the floor") {
    // Flights of 2 v e^k / g after the fall of 1 m: t = sqrt(2 / g) (1 + e) / (1 - e).
    const double accumulation = std::sqrt(2 / 9.81) * 1.7 / 0.3;
    for (const int milliseconds : {1, 10, 3000}) {
        Bench bench("ball_fmi2");
        bench.start("v_min", std::vector<double>{0});
        bench.initialize();
        double lowest = 0;
        const auto error = error_of([&] {
            for (int i = 0; i < 3000; i += milliseconds) {
                bench.step(milliseconds);
                lowest = std::min(lowest, bench.real("h"));
            }
        });
        CHECK(error.code() == "event-storm");
        CHECK(contains(error.what(), "accumulate"));
        CHECK(contains(error.where(), "unit 'unit' at t = 2.558"));
        CHECK(bench.seconds() <= accumulation);
        CHECK(lowest > -1e-9);
        const auto closer = std::ranges::count_if(
            bench.log.lines, [](const KeptLog::Line& line) { return contains(line.text, "ever closer"); });
        CHECK(closer == 1);
    }
}

TEST_CASE("the result does not depend on the communication step") {
    Bench bench("ball_fmi2");
    bench.initialize();
    const auto result = bench.step(1000);
    CHECK(result.event);
    CHECK_FALSE(result.wants_event_mode);
    const double impact = std::sqrt(2 / 9.81);
    const double t = 1 - impact;
    CHECK(bench.real("h") == Approx(0.7 * 9.81 * impact * t - 9.81 / 2 * t * t).margin(1e-7));
}

TEST_CASE("completedIntegratorStep is called after every accepted step") {
    Bench bench("ball_fmi2");
    bench.initialize();
    for (int i = 0; i < 30; ++i) bench.step(10);
    CHECK(static_cast<std::uint64_t>(bench.integer("completed")) == statistic(bench, "solver steps"));
}

TEST_CASE("a lag follows held and sloped inputs inside the step") {
    Lag bench;
    bench.initialize();
    CHECK(bench.unit->info().can.refreshes_outputs);
    CHECK(bench.unit->takes_slope(bench.variable("u")));
    CHECK_FALSE(bench.unit->takes_slope(bench.variable("mode")));
    bench.real_in("u") = 0.5;
    bench.step(500);
    CHECK(bench.real("x") == Approx(0.5 * (1 - std::exp(-0.5))).margin(lag_accuracy));

    Lag ramp;
    ramp.initialize(3);
    ramp.with_slopes = true;
    ramp.slope_in("u") = 1;
    for (int i = 0; i < 5; ++i) {
        ramp.real_in("u") = 0.1 * i;
        ramp.step(100);
    }
    CHECK(ramp.real("x") == Approx(0.5 - 1 + std::exp(-0.5)).margin(lag_accuracy));
    CHECK(ramp.real("through") == Approx(ramp.real("x") + 0.5).margin(1e-12));
}

TEST_CASE("the solver begins anew only when an input jumps") {
    Lag bench;
    bench.initialize();
    bench.real_in("u") = 0.5;
    for (int i = 0; i < 10; ++i) bench.step(10);
    CHECK(statistic(bench, "solver restarts") == 1);
    bench.real_in("u") = 0.6;
    bench.step(10);
    CHECK(statistic(bench, "solver restarts") == 2);
}

TEST_CASE("outputs of model exchange are refreshed by a write without a step") {
    Lag bench;
    bench.initialize();
    bench.step(100);
    bench.real_in("u") = 0.75;
    bench.write();
    bench.read();
    CHECK(bench.real("through") == Approx(0.75));
}

TEST_CASE("an input that jumps across an event indicator, or a discrete input, takes the unit into Event Mode") {
    Lag bench;
    bench.initialize();
    bench.step(100);
    CHECK(bench.integer("events") == 1);
    bench.real_in("u") = 2;
    CHECK(bench.step(100).event);
    CHECK(bench.integer("events") == 2);
    bench.integer_in("mode") = 4;
    CHECK(bench.step(100).event);
    CHECK(bench.integer("seen") == 4);
    CHECK(bench.integer("events") == 4);
    CHECK_FALSE(bench.step(100).event);
    bench.integer_in("mode") = 5;
    bench.write();
    bench.read();
    CHECK(bench.integer("seen") == 5);
    CHECK(bench.step(100).event);
}

TEST_CASE("a sloped input that crosses an indicator inside the step is found") {
    Lag bench;
    bench.initialize();
    bench.with_slopes = true;
    bench.real_in("u") = 0.95;
    bench.slope_in("u") = 1;
    CHECK(bench.step(100).event);
    CHECK(statistic(bench, "state events") == 1);
}

TEST_CASE("states and nominals are read again when an event changed them") {
    Lag bench;
    bench.start("limit", std::vector<double>{0.5});
    bench.initialize();
    CHECK(bench.integer("resets") == 0);
    bench.real_in("u") = 0.9;
    const double period = -std::log(1 - 0.5 / 0.9);
    bench.step(1500);
    CHECK(bench.integer("resets") == 1);
    CHECK(bench.integer("nominal_calls") == 2);
    CHECK(bench.real("x") == Approx(0.9 * (1 - std::exp(-(1.5 - period)))).margin(lag_accuracy));
}

TEST_CASE("states that an event changed are read again though the unit conceals it, which is noted once") {
    Bench plain("ball_fmi2");
    Bench conceals("concealing_ball_fmi2");
    plain.initialize();
    conceals.initialize();
    for (int i = 0; i < 200; ++i) {
        plain.step(10);
        conceals.step(10);
        CHECK(conceals.real("h") == plain.real("h"));
    }
    CHECK(conceals.integer("count") >= 3);
    CHECK(plain.log.lines.empty());
    CHECK(conceals.log.lines.size() == 1);
    CHECK(conceals.log.says("valuesOfContinuousStatesChanged"));
}

TEST_CASE("step events take the unit into Event Mode") {
    Lag bench;
    bench.start("step_event_every", std::vector<std::int64_t>{3});
    bench.initialize();
    bench.real_in("u") = 0.5;
    for (int i = 0; i < 5; ++i) bench.step(100);
    CHECK(statistic(bench, "step events") > 0);
    CHECK(statistic(bench, "step events") == static_cast<std::uint64_t>(bench.integer("completed") / 3));
    CHECK(bench.real("x") == Approx(0.5 * (1 - std::exp(-0.5))).margin(lag_accuracy));
}

TEST_CASE("derivatives that fail end the run with unit and time, discarded ones are tried with smaller steps") {
    Lag bench;
    bench.start("fails_at", std::vector<double>{0.25});
    bench.initialize();
    bench.real_in("u") = 0.5;
    bench.step(100);
    const auto error = error_of([&] {
        for (int i = 0; i < 10; ++i) bench.step(100);
    });
    CHECK(error.code() == "fmu-error");
    CHECK(contains(error.what(), "fmi3GetContinuousStateDerivatives returned error"));
    CHECK(error.exit() == master::base::Exit::failed);

    Lag discards;
    discards.start("discards_above", std::vector<double>{0.3});
    discards.initialize();
    discards.real_in("u") = 0.5;
    const auto refused = error_of([&] { discards.step(2000); });
    CHECK(refused.code() == "integrator");
    CHECK(contains(refused.what(), "fmi3GetContinuousStateDerivatives returned discard"));
    CHECK(discards.log.lines.empty());
}

TEST_CASE("a sliding mode ends as an event storm that names the unit") {
    Lag bench;
    bench.start("relay", std::vector<std::int64_t>{1});
    bench.start("x", std::vector<double>{0.05});
    bench.initialize();
    const auto error = error_of([&] { bench.step(100); });
    CHECK(error.code() == "event-storm");
    CHECK(contains(error.where(), "unit 'unit' at t = 0.05"));
}

TEST_CASE("a unit without states meets its time events, also one at the start") {
    Bench bench("stair_fmi2");
    bench.start("period", std::vector<double>{0.1});
    bench.initialize();
    bench.read();
    CHECK(bench.integer("count") == 1);
    bench.step(50);
    CHECK(bench.integer("count") == 1);
    const auto end = bench.step(50);
    CHECK(end.wants_event_mode);
    bench.settle();
    bench.read();
    CHECK(bench.integer("count") == 2);
    bench.step(250);
    CHECK(bench.integer("count") == 4);
}

TEST_CASE("a time event left at the end of a step is met by the next step if the master does not") {
    Bench bench("stair_fmi2");
    bench.start("period", std::vector<double>{0.1});
    bench.initialize();
    bench.step(100);
    CHECK(bench.step(50).event);
    CHECK(bench.integer("count") == 2);
}

TEST_CASE("a time of the next event that is not a number ends the run, and not in an endless one") {
    Bench bench("stair_fmi2");
    bench.start("period", std::vector<double>{std::numeric_limits<double>::quiet_NaN()});
    CHECK_THROWS_WITH(bench.initialize(), Catch::Contains("nextEventTime") && Catch::Contains("not a number"));
}

TEST_CASE("many events in one step are noted once") {
    Bench bench("stair_fmi2");
    bench.start("period", std::vector<double>{1e-4});
    bench.initialize();
    bench.step(100);
    bench.step(100);
    CHECK(bench.log.lines.size() == 1);
    CHECK(bench.log.says("more than 100 events"));
    CHECK(bench.integer("count") >= 1999);
}

TEST_CASE("a unit may end the simulation at an event inside a step") {
    Bench bench("stair_fmi2");
    bench.start("period", std::vector<double>{0.125});
    bench.start("last", std::vector<std::int64_t>{3});
    bench.initialize();
    const auto result = bench.step(1000);
    CHECK(result.terminate);
    CHECK(result.reached.ticks == 250'000'000);
}

TEST_CASE("event indicators work without states") {
    Bench bench("switch_fmi2");
    bench.start("switch_at", std::vector<double>{0.123});
    bench.initialize();
    bench.with_slopes = true;
    bench.slope_in("u") = 2;
    CHECK(bench.step(500).event);
    CHECK(bench.integer("crossings") == 2);
    CHECK(bench.real("switched_at") == Approx(0.25).margin(1e-9));
}

TEST_CASE("an event indicator that is exactly zero at the start is a crossing as soon as it is positive") {
    Bench bench("switch_fmi2");
    bench.start("switch_at", std::vector<double>{0});
    bench.initialize();
    bench.step(100);
    CHECK(bench.integer("crossings") == 1);
    CHECK(bench.real("switched_at") == Approx(0).margin(1e-9));
}
