#include "master/contracts/monitor.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

using master::contracts::Monitor;
using master::contracts::Verdict;
using master::contracts::Watched;

namespace {

/// A run with a step of 1 ms in which one output, or one input, takes given values.
class WatchedRun {
public:
    explicit WatchedRun(Watched watched, std::vector<std::int64_t> unit_periods = {1})
        : monitor_({[&] {
                       watched.subject = "unit.y";
                       watched.request.found = {master::build::LocatedSignal{}};
                       watched.period = {1};
                       return watched;
                   }()},
                   {.timebase = {1000}, .start = {0}, .units = [&] {
                        std::vector<master::base::Duration> periods;
                        for (const std::int64_t ticks : unit_periods) periods.push_back({ticks});
                        return periods;
                    }()}) {
        signals_.outputs.reals = {0};
    }

    void point(std::int64_t millisecond, double value) {
        signals_.outputs.reals[0] = value;
        monitor_.after_step({millisecond}, signals_);
    }
    [[nodiscard]] Verdict verdict() const { return monitor_.verdicts().at(0); }

private:
    Monitor monitor_;
    master::core::Signals signals_;
};

Watched promising(const master::ssp::Contract& contract) {
    Watched watched;
    watched.contract = contract;
    return watched;
}

}  // namespace

TEST_CASE("a value outside its range is told with its first time, how often, and the worst") {
    WatchedRun run(promising({.minimum = -1, .maximum = 1, .requirement = "R-1"}));
    const std::vector<double> values{0, 0.5, 1.5, 0.9, -3, -2, 0};
    for (std::size_t i = 0; i < values.size(); ++i) run.point(static_cast<std::int64_t>(i), values[i]);
    const Verdict verdict = run.verdict();
    CHECK(verdict.outcome == Verdict::Outcome::failed);
    CHECK(verdict.requirement == "R-1");
    REQUIRE(verdict.violations.size() == 1);
    CHECK(verdict.violations[0].first == 0.002);
    CHECK(verdict.violations[0].count == 3);
    CHECK(verdict.violations[0].worst == -3);
    CHECK(verdict.used == Approx(3));
}

TEST_CASE("what keeps its promise passes, and the report knows how much of it was used") {
    WatchedRun run(promising({.minimum = 0, .maximum = 10, .rate = 2000}));
    for (int i = 0; i < 6; ++i) run.point(i, 4 + i);
    CHECK(run.verdict().outcome == Verdict::Outcome::passed);
    CHECK(run.verdict().used == Approx(0.8));
}

TEST_CASE("a signal that hardly moves shows nothing") {
    WatchedRun run(promising({.minimum = 0, .maximum = 10}));
    for (int i = 0; i < 50; ++i) run.point(i, 5 + 0.009 * i);
    CHECK(run.verdict().outcome == Verdict::Outcome::not_exercised);
    run.point(50, 5.5);
    CHECK(run.verdict().outcome == Verdict::Outcome::passed);
}

TEST_CASE("a signal that never moves passes nothing, also without a range") {
    WatchedRun run(promising({.period = master::base::Fraction{1, 100}, .rate = 1}));
    for (int i = 0; i < 50; ++i) run.point(i, 5);
    CHECK(run.verdict().outcome == Verdict::Outcome::not_exercised);
}

TEST_CASE("what is not a number is told as such") {
    WatchedRun run(promising({.minimum = 0, .maximum = 1}));
    run.point(0, 0);
    run.point(1, std::nan(""));
    REQUIRE(run.verdict().violations.size() == 1);
    CHECK(run.verdict().violations[0].what == "not a number");
}

TEST_CASE("a change is held against the time it took") {
    WatchedRun run(promising({.rate = 100}));
    run.point(0, 7);  // the first value is no change
    run.point(1, 7.05);
    run.point(2, 6.8);
    const Verdict verdict = run.verdict();
    REQUIRE(verdict.violations.size() == 1);
    CHECK(verdict.violations[0].count == 1);
    CHECK(verdict.violations[0].worst == Approx(250));
}

TEST_CASE("limits are those of the specification's unit") {
    Watched watched = promising({.minimum = 0, .maximum = 300, .resolution = 0.5, .rate = 1e5});
    watched.scale = {.gain = 1e-5, .offset = 0};  // Pa in the run, bar in the specification
    WatchedRun run(watched);
    run.point(0, 1e7);
    run.point(1, 1.005e7);
    run.point(2, 3.1e7);
    const Verdict verdict = run.verdict();
    REQUIRE(verdict.violations.size() == 2);
    CHECK(verdict.violations[0].worst == Approx(310));
    CHECK(verdict.violations[1].what == "changes too fast");
}

TEST_CASE("values between two multiples of the resolution are told") {
    WatchedRun run(promising({.minimum = 0, .maximum = 1, .resolution = 0.1}));
    run.point(0, 0.3);
    run.point(1, 0.7);
    run.point(2, 0.75);
    REQUIRE(run.verdict().violations.size() == 1);
    CHECK(run.verdict().violations[0].count == 1);
    CHECK(run.verdict().violations[0].worst == 0.75);
}

TEST_CASE("a value that stands still for too long is stale") {
    WatchedRun run(promising({.maximal_age = 0.01}));
    for (int i = 0; i < 10; ++i) run.point(i, i);
    for (int i = 10; i < 25; ++i) run.point(i, 9);
    const Verdict verdict = run.verdict();
    REQUIRE(verdict.violations.size() == 1);
    CHECK(verdict.violations[0].first == 0.020);
    CHECK(verdict.violations[0].worst == 0.015);
}

TEST_CASE("a period that is missed is told, and jitter is allowed for") {
    WatchedRun run(promising({.period = master::base::Fraction{1, 500}, .jitter = 0.001}));
    for (const int t : {0, 2, 4, 7, 9, 13}) run.point(t, t);
    REQUIRE(run.verdict().violations.size() == 1);
    CHECK(run.verdict().violations[0].count == 1);
    CHECK(run.verdict().violations[0].first == 0.013);
    CHECK(run.verdict().violations[0].worst == 0.004);
}

TEST_CASE("a value that is renewed at each point is as old as the step before the next one comes") {
    WatchedRun slow(promising({.maximal_age = 0.004}), {5});
    for (int i = 0; i < 50; i += 5) slow.point(i, i);
    REQUIRE(slow.verdict().violations.size() == 1);
    CHECK(slow.verdict().violations[0].what == "stands too long");
    CHECK(slow.verdict().violations[0].first == 0.005);
    CHECK(slow.verdict().violations[0].worst == 0.005);
    WatchedRun in_time(promising({.maximal_age = 0.005}), {5});
    for (int i = 0; i < 50; i += 5) in_time.point(i, i);
    CHECK(in_time.verdict().outcome == Verdict::Outcome::passed);
}

TEST_CASE("a value that comes too early for its period and jitter is told, however often its unit is stepped") {
    const auto run = [](const master::ssp::Contract& contract, const std::vector<int>& changes) {
        WatchedRun watched(promising(contract));
        double value = 0;
        for (int t = 0; t <= 60; ++t) {
            if (std::ranges::find(changes, t) != changes.end()) value += 1;
            watched.point(t, value);
        }
        return watched.verdict();
    };
    const master::ssp::Contract beat{.period = master::base::Fraction{1, 100}, .jitter = 0.001};
    // Where the beat begins nobody says: the first change is no interval.
    CHECK(run(beat, {3, 13, 22, 33, 43}).outcome == Verdict::Outcome::passed);
    const Verdict early = run(beat, {3, 13, 21, 31, 36, 46});
    REQUIRE(early.violations.size() == 1);
    CHECK(early.violations[0].what == "comes too early");
    CHECK(early.violations[0].first == 0.021);
    CHECK(early.violations[0].count == 2);
    CHECK(early.violations[0].worst == 0.005);
    CHECK(early.used == Approx(0.009 / 0.005));
    // Without a jitter a period is the longest, and with one as long as itself there is no shortest.
    CHECK(run({.period = master::base::Fraction{1, 100}}, {3, 5, 7}).outcome == Verdict::Outcome::passed);
    CHECK(run({.period = master::base::Fraction{1, 100}, .jitter = 0.01}, {3, 5, 7}).outcome ==
          Verdict::Outcome::passed);
}

TEST_CASE("the age at the end of a chain counts from the measurement, over the steps and waits of the units between") {
    // Sensor every 2 ms, controller every 5 ms, actuator every 1 ms. At its input arrives what the controller made of
    // the sensor's value from the beginning of its step: measured at most 1 ms before that, 5 ms old when it is there,
    // and 4 ms older before the next one comes.
    Watched watched = promising({.maximal_age = 0.008, .age_from = "sensor.y"});
    watched.chain = {.links = {{.unit = 0}, {.unit = 1}, {.unit = 2}}, .to_input = true};
    WatchedRun run(watched, {2, 5, 1});
    for (int t = 0; t <= 100; ++t) run.point(t, t);
    const Verdict verdict = run.verdict();
    REQUIRE(verdict.violations.size() == 1);
    CHECK(verdict.violations[0].what == "is too old");
    CHECK(verdict.violations[0].worst == Approx(0.010));
    watched.contract.maximal_age = 0.010;
    WatchedRun within(watched, {2, 5, 1});
    for (int t = 0; t <= 100; ++t) within.point(t, t);
    CHECK(within.verdict().outcome == Verdict::Outcome::passed);
}

TEST_CASE("a unit that is stepped behind another is given what that one makes in the same step") {
    Watched watched = promising({.maximal_age = 0.0005, .age_from = "sensor.y"});
    watched.chain = {.links = {{.unit = 0}, {.unit = 1, .younger = true}, {.unit = 2, .younger = true}}};
    WatchedRun behind(watched, {1, 1, 1});
    for (int t = 0; t <= 10; ++t) behind.point(t, t);
    CHECK(behind.verdict().outcome == Verdict::Outcome::passed);
    watched.chain.links[1].younger = false;
    WatchedRun beside(watched, {1, 1, 1});
    for (int t = 0; t <= 10; ++t) beside.point(t, t);
    REQUIRE(beside.verdict().violations.size() == 1);
    CHECK(beside.verdict().violations[0].worst == Approx(0.001));
}

TEST_CASE("what a unit makes of its own input is a step old") {
    Watched watched = promising({.maximal_age = 0.002, .age_from = "controller.u"});
    watched.chain = {.links = {{.unit = 0}}, .from_input = true};
    WatchedRun run(watched, {5});
    for (int t = 0; t <= 20; ++t) run.point(t, t);
    REQUIRE(run.verdict().violations.size() == 1);
    CHECK(run.verdict().violations[0].worst == Approx(0.005));
}

TEST_CASE("a delay that a unit adds counts for the age") {
    Watched watched = promising({.maximal_age = 0.005, .age_from = "sensor.y"});
    watched.chain = {.links = {{.unit = 0, .delay = {10}}, {.unit = 1}}, .to_input = true};
    WatchedRun run(watched, {1, 1});
    for (int t = 0; t <= 20; ++t) run.point(t, t);
    REQUIRE(run.verdict().violations.size() == 1);
    CHECK(run.verdict().violations[0].worst == Approx(0.010));
}

TEST_CASE("infinity is in no range, also where nobody states one") {
    WatchedRun run(promising({.resolution = 1}));
    run.point(0, 0);
    run.point(1, 1);
    run.point(2, INFINITY);
    CHECK(run.verdict().outcome == Verdict::Outcome::failed);
}

TEST_CASE("a large value is a multiple of a small resolution as well as a double can say") {
    WatchedRun run(promising({.resolution = 1e-9}));
    for (int i = 0; i < 10; ++i) run.point(i, 1000.1 * i);
    CHECK(run.verdict().outcome == Verdict::Outcome::passed);
}

TEST_CASE("without a range a rate is exercised by moving, and not by the noise of a standstill") {
    WatchedRun still(promising({.rate = 2}));
    for (int i = 0; i < 50; ++i) still.point(i, 5 + 1e-12 * i);
    CHECK(still.verdict().outcome == Verdict::Outcome::not_exercised);
    WatchedRun moving(promising({.rate = 2}));
    for (int i = 0; i < 50; ++i) moving.point(i, 5 + 1e-3 * i);
    CHECK(moving.verdict().outcome == Verdict::Outcome::passed);
}

TEST_CASE("a signal with one limit alone is exercised by moving, whatever the limit") {
    WatchedRun still(promising({.minimum = 0}));
    for (int i = 0; i < 50; ++i) still.point(i, 5 + 1e-9 * i);
    CHECK(still.verdict().outcome == Verdict::Outcome::not_exercised);
    still.point(50, 5.5);
    CHECK(still.verdict().outcome == Verdict::Outcome::passed);
}
