#include "master/core/events.hpp"

#include "master/core/algorithm.hpp"
#include "master/core/plain_unit.hpp"
#include "master/core/run.hpp"
#include "master/core/setup/initialization.hpp"
#include "tests/master/core/small_models.hpp"

#include <catch2/catch.hpp>
#include <cmath>

namespace {

using namespace master::core;
using master::base::Fraction;
using master::base::Time;
using tests::counter;
using tests::keeper;
using tests::TestModel;
using Vector = std::vector<double>;

constexpr master::base::Timebase timebase{1'000'000'000};
constexpr std::int64_t millisecond = 1'000'000;

/// Has one clock, which ticks by itself every 3 ms.
class Ticker final : public PlainUnit, public EventUnit {
public:
    Ticker() {
        info_.model_name = "ticker";
        info_.can.event_mode = true;
        info_.can.variable_step = true;
        info_.variables.push_back({.name = "tick",
                                   .type = Type::clock,
                                   .causality = Causality::input,
                                   .variability = Variability::discrete,
                                   .clock_kind = ClockKind::constant,
                                   .clock_interval = Fraction{3, 1000}});
    }
    const UnitInfo& info() const override { return info_; }
    EventUnit* events() override { return this; }
    void enter_event() override {}
    void activate(std::span<const std::uint32_t>) override {}
    void active(std::vector<std::uint32_t>&) override {}
    EventUpdate update_discrete() override { return {}; }
    void intervals(std::vector<ClockInterval>&) override {}
    void enter_step() override {}
    std::optional<double> next_event_time() const override { return std::nullopt; }

private:
    UnitInfo info_;
};

struct Seen final : Tap {
    struct Point {
        double t, count, kept;
    };
    std::vector<Point> points;
    std::vector<double> ticks;
    bool ticks_between_events = false;

    void on_event(Time t, const Signals& signals) override {
        if (signals.outputs.clocks[0] == 1) ticks.push_back(timebase.seconds(t));
    }
    void after_step(Time t, const Signals& signals) override {
        ticks_between_events |= signals.outputs.clocks[0] != 0;
        points.push_back({timebase.seconds(t), signals.outputs.reals[0], signals.outputs.reals[1]});
    }
};

/// 50 ms of a ticker beside a counter whose value a keeper takes, both with a step of 10 ms.
Seen run_with(const std::string& algorithm) {
    Plan plan;
    plan.units = {{.name = "ticker"}, {.name = "counter"}, {.name = "keeper"}};
    plan.wires.push_back({.from = {.unit = 1, .variable = 0}, .to = {.unit = 2, .variable = 0}});
    std::vector<std::unique_ptr<Unit>> units;
    units.push_back(std::make_unique<Ticker>());
    units.push_back(std::make_unique<tests::TestUnit>(counter(), timebase));
    units.push_back(std::make_unique<tests::TestUnit>(keeper(), timebase));
    const AlgorithmEntry& method = find_algorithm(algorithm, "test");
    SystemOptions options;
    options.timebase = timebase;
    options.periods.assign(3, master::base::Duration{10 * millisecond});
    options.hold = Hold::constant;
    options.sequential = method.sequential;
    options.order = {0, 1, 2};
    options.recorded = {{0}, {0}, {1}};
    master::base::Diagnostics diagnostics;
    System system(std::move(plan), std::move(units), options, diagnostics);
    Seen seen;
    Tap* taps[] = {&seen};
    system.watch(taps);
    initialize(system, diagnostics);
    struct Fast final : Pacer {
        bool go() override { return true; }
        void wait_until(Time) override {}
    } pacer;
    run(system, *method.make({}), taps, pacer, {.from = Time{}, .to = Time{50 * millisecond}});
    return seen;
}

}  // namespace

TEST_CASE("a clock is shown in the event iteration in which it ticks, and at no other time") {
    for (const char* algorithm : {"jacobi", "gauss-seidel"}) {
        INFO(algorithm);
        const Seen seen = run_with(algorithm);
        REQUIRE(seen.ticks.size() == 17);
        for (std::size_t i = 0; i < seen.ticks.size(); ++i)
            CHECK(seen.ticks[i] == Approx(0.003 * static_cast<double>(i)).margin(1e-12));
        CHECK_FALSE(seen.ticks_between_events);
    }
}

TEST_CASE("under Gauss-Seidel units without clocks wait for their point, whoever ticks between two of them") {
    const Seen seen = run_with("gauss-seidel");
    // Five points and the ticks between them: 3, 6, 9, 12, 15, 18, 21, 24, 27 ms and so on.
    REQUIRE(seen.points.size() == 1 + 5 + 15);
    for (const Seen::Point& point : seen.points) {
        INFO(point.t);
        const double steps = std::floor(point.t / 0.01 + 1e-9);
        CHECK(point.count == steps);
        CHECK(point.kept == steps);  // of the same step: the counter comes first in the order
    }
}
