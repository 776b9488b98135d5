#include "tests/master/fmi/unit/bench.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

namespace {

struct Events : Bench {
    Events() : Bench("events_fmi3") {}
    explicit Events(const std::string& parameter, double value) : Events() {
        start(parameter, std::vector<double>{value});
        initialize();
    }
};

}  // namespace

TEST_CASE("a unit with Event Mode is in it after initialisation") {
    Events bench("period", 0);
    bench.step(100);
    CHECK(bench.integer("count") == 1);
}

TEST_CASE("an event strictly inside a step is handled by the unit, which reaches the end with held inputs") {
    Events bench("event_at", 0.13);
    bench.real_in("u") = 2;
    CHECK_FALSE(bench.step(100).event);
    const auto result = bench.step(100);
    CHECK(result.event);
    CHECK(result.reached.ticks == 200'000'000);
    CHECK(bench.integer("count") == 2);
    CHECK(bench.real("y") == Approx(0.4).epsilon(1e-12));
}

TEST_CASE("clocks that ticked and countdowns that began inside a step reach the master at its end") {
    Events bench("event_at", 0.05);
    const auto result = bench.step(100);
    CHECK(result.wants_event_mode);
    auto& events = *bench.unit->events();
    events.enter_event();
    std::vector<std::uint32_t> ticking;
    events.active(ticking);
    CHECK(ticking == std::vector{bench.variable("bell")});
    (void)events.update_discrete();
    std::vector<master::core::ClockInterval> intervals;
    events.intervals(intervals);
    const auto alarm = std::ranges::find(intervals, bench.variable("alarm"), &master::core::ClockInterval::clock);
    REQUIRE(alarm != intervals.end());
    CHECK(alarm->seconds.value() == Approx(0.2));
    CHECK_FALSE(alarm->exact);
    events.enter_step();
    CHECK_FALSE(bench.step(100).wants_event_mode);
}

TEST_CASE("an event at the end of a step is left to the master") {
    Events bench("event_at", 0.1);
    const auto result = bench.step(100);
    CHECK(result.event);
    CHECK(result.wants_event_mode);
    CHECK(bench.integer("count") == 1);
    bench.settle();
    bench.step(100);
    CHECK(bench.integer("count") == 2);
}

TEST_CASE("time events inside a step are met exactly") {
    Events bench("period", 0.03);
    CHECK(bench.unit->events()->next_event_time() == 0.03);
    const auto result = bench.step(100);
    CHECK(result.event);
    CHECK(bench.integer("count") == 4);  // initialisation, 0.03, 0.06, 0.09
    CHECK_FALSE(result.wants_event_mode);
}

TEST_CASE("a time event at the end of a step wants Event Mode there") {
    Events bench("period", 0.05);
    const auto result = bench.step(100);
    CHECK(result.wants_event_mode);
    CHECK(bench.integer("count") == 2);
}

TEST_CASE("a discrete input that changed is set in Event Mode before the step") {
    Events bench("period", 0);
    bench.integer_in("mode") = 3;
    CHECK(bench.step(100).event);
    CHECK(bench.integer("seen") == 3);
    CHECK(bench.integer("count") == 2);
    CHECK_FALSE(bench.step(100).event);
    CHECK(bench.integer("count") == 2);
}

TEST_CASE("a constant clock ticks at its shift, then at its interval, and its inputs are set while it is active") {
    Events bench("period", 0);
    auto& events = *bench.unit->events();
    std::vector<master::core::ClockInterval> intervals;
    events.enter_event();
    (void)events.update_discrete();
    events.intervals(intervals);
    REQUIRE(intervals.size() == 1);
    CHECK(intervals[0].clock == bench.variable("tick"));
    CHECK(intervals[0].seconds == master::base::Fraction{1, 10});
    CHECK(intervals[0].exact);
    events.enter_step();
    bench.step(100);

    events.enter_event();
    const std::vector clocks{bench.variable("tick")};
    events.activate(clocks);
    bench.real_in("sample") = 7;
    const auto& info = bench.unit->info();
    bench.unit->write(master::core::group_of(info, info.variables[bench.variable("sample")]), bench.input_block());
    (void)events.update_discrete();
    intervals.clear();
    events.intervals(intervals);
    REQUIRE(intervals.size() == 1);
    CHECK(intervals[0].seconds == master::base::Fraction{3, 10});
    events.enter_step();
    bench.read();
    CHECK(bench.real("sum") == 7);
}

TEST_CASE("an output clock is reported once for each tick") {
    Events bench("period", 0);
    auto& events = *bench.unit->events();
    events.enter_event();
    const std::vector clocks{bench.variable("alarm")};
    events.activate(clocks);
    std::vector<std::uint32_t> ticking;
    events.active(ticking);
    CHECK(ticking == std::vector{bench.variable("bell")});
    ticking.clear();
    events.active(ticking);
    CHECK(ticking.empty());
}

TEST_CASE("an event storm ends the run with the unit's name") {
    Events bench;
    bench.start("event_at", std::vector<double>{0.05});
    bench.initialize();
    bench.start("storm", std::vector<std::int64_t>{1});
    bench.unit->set_start({bench.starts.back()});
    const auto error = error_of([&] { bench.step(100); });
    CHECK(error.code() == "event-storm");
    CHECK(error.where() == "unit 'unit' at t = 0.05");
}

TEST_CASE("an early return without progress ends the run") {
    Events bench;
    bench.start("stuck", std::vector<std::int64_t>{1});
    bench.initialize();
    CHECK(error_of([&] { bench.step(100); }).code() == "early-return");
}

TEST_CASE("a last successful time that differs by rounding is the end of the step, otherwise an early return") {
    Events rounded("last_time_off", 1e-12);
    rounded.real_in("u") = 1;
    CHECK(rounded.step(100).reached.ticks == 100'000'000);
    Events early("last_time_off", -0.04);
    early.real_in("u") = 1;
    CHECK(early.step(100).reached.ticks == 100'000'000);
    CHECK(early.real("y") == Approx(0.1).epsilon(1e-12));
}

TEST_CASE("a unit that ends the simulation says when") {
    Events bench("ends_at", 0.15);
    bench.step(100);
    const auto result = bench.step(100);
    CHECK(result.terminate);
    CHECK(result.reached.ticks == 150'000'000);
}

TEST_CASE("a step that an FMI 3 unit discards leaves it where it was") {
    Events bench("discards_at", 0.15);
    bench.step(100);
    bench.write();
    const auto result = bench.unit->step(bench.t, {100'000'000});
    CHECK(result.discarded);
    CHECK(result.reached.ticks == 100'000'000);
    CHECK_FALSE(bench.unit->step(bench.t, {40'000'000}).discarded);
}

TEST_CASE("clocks that ticked in several events inside one step are all told") {
    Events bench;
    bench.start("event_at", std::vector<double>{0.02});
    bench.start("period", std::vector<double>{0.03});
    bench.initialize();
    CHECK(bench.step(100).wants_event_mode);
    std::vector<std::uint32_t> ticking;
    bench.unit->events()->enter_event();
    bench.unit->events()->active(ticking);
    CHECK(ticking == std::vector{bench.variable("bell")});
}

TEST_CASE("a unit that claims Event Mode and refuses it is used without") {
    Bench bench("refuses_event_mode", "cs");
    CHECK(bench.unit->events() == nullptr);
    CHECK(bench.log.says("claims Event Mode and refuses it"));
    bench.initialize();
    bench.inputs.reals[bench.slot(bench.input_layout, "u")] = 4;
    bench.step(100);
    CHECK(bench.real("y") == Approx(2).margin(0.01));
}

TEST_CASE("the present value of a variable of every type can be asked for") {
    Bench bench("types_fmi3", "cs");
    bench.initialize();
    for (std::uint32_t v = 0; v < bench.unit->info().variables.size(); ++v) {
        const master::core::Variable& variable = bench.unit->info().variables[v];
        if (variable.causality != master::core::Causality::input || !variable.start) continue;
        INFO(variable.name);
        bench.unit->set_start({{v, *variable.start}});
        CHECK(bench.unit->value_of(v).has_value());
    }
}
