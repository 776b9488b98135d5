#include "master/report/step_response.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <numbers>

using namespace master;
using report::StepMetrics;
using report::StepWindow;

namespace {

constexpr double h = 1e-3;
constexpr double sampled = 1e-5;  // straight lines between samples of 1 ms

struct Samples {
    std::vector<double> time, target, measured;

    /// A step from `before` to `after` at time `at`, answered by y(t) in shares of the way.
    Samples(double before, double after, double at, double stop, const std::function<double(double)>& y) {
        for (int i = 0; i <= std::lround(stop / h); ++i) {
            const double t = i * h;
            time.push_back(at + t);
            target.push_back(after);
            measured.push_back(before + (after - before) * y(t));
        }
    }
    [[nodiscard]] StepWindow window(double before) const {
        return {.time = time, .target = target, .measured = measured, .before = before};
    }
};

/// Where f changes sign between a and b.
double root(const std::function<double(double)>& f, double a, double b) {
    const bool rises = f(a) < 0;
    for (int i = 0; i < 100; ++i) {
        const double middle = (a + b) / 2;
        ((f(middle) < 0) == rises ? a : b) = middle;
    }
    return a;
}

}  // namespace

TEST_CASE("the metrics of a first-order step are those of its closed form, up and down") {
    constexpr double lag = 0.4, stop = 4;
    const auto y = [](double t) { return 1 - std::exp(-t / lag); };
    for (const double after : {5.0, -1.0}) {
        constexpr double before = 2;
        const Samples samples(before, after, 10, stop, y);
        const StepMetrics metrics = report::target_step(samples.window(before));
        const double way = after - before;
        REQUIRE(metrics.rise_time);
        CHECK(*metrics.rise_time == Approx(lag * std::log(9.0)).epsilon(sampled));
        CHECK(metrics.overshoot == 0);
        REQUIRE(metrics.settling_time);
        CHECK(*metrics.settling_time == Approx(lag * std::log(50.0)).epsilon(sampled));
        CHECK(metrics.steady_error == Approx(way * std::exp(-stop / lag)).epsilon(sampled));
        CHECK(metrics.absolute_error == Approx(std::fabs(way) * lag * (1 - std::exp(-stop / lag))).epsilon(sampled));
    }
}

TEST_CASE("the metrics of a second-order step are those of its closed form") {
    constexpr double damping = 0.3, w = 5, stop = 8;
    const double wd = w * std::sqrt(1 - damping * damping), decay = damping * w;
    const auto y = [&](double t) {
        return 1 - std::exp(-decay * t) * (std::cos(wd * t) + decay / wd * std::sin(wd * t));
    };
    const Samples samples(0, 0.04, 0, stop, y);
    const StepMetrics metrics = report::target_step(samples.window(0));
    const double peak = std::numbers::pi / wd;
    const double rise =
        root([&](double t) { return y(t) - 0.9; }, 0, peak) - root([&](double t) { return y(t) - 0.1; }, 0, peak);
    REQUIRE(metrics.rise_time);
    CHECK(*metrics.rise_time == Approx(rise).epsilon(sampled));
    CHECK(metrics.overshoot ==
          Approx(std::exp(-damping * std::numbers::pi / std::sqrt(1 - damping * damping))).epsilon(sampled));
    // Extremes lie at multiples of the peak time; the last one beyond 2 % is crossed on its way back.
    int last = 1;
    while (std::fabs(y((last + 1) * peak) - 1) > 0.02) ++last;
    const double settled = root([&](double t) { return std::fabs(y(t) - 1) - 0.02; }, last * peak, (last + 0.5) * peak);
    REQUIRE(metrics.settling_time);
    CHECK(*metrics.settling_time == Approx(settled).epsilon(1e-4));
}

TEST_CASE("a step that does not arrive has neither rise nor settling time, but its errors") {
    const Samples samples(0, 1, 0, 1, [](double t) { return 0.5 * t; });
    const StepMetrics metrics = report::target_step(samples.window(0));
    CHECK_FALSE(metrics.rise_time);
    CHECK_FALSE(metrics.settling_time);
    CHECK(metrics.steady_error == Approx(0.5));
    CHECK(metrics.absolute_error == Approx(0.75));
}

TEST_CASE("a step in the load is told by the deviation and how it fades") {
    constexpr double lag = 0.3, stop = 3;
    Samples samples(1, 1, 0, stop, [](double) { return 0; });
    for (std::size_t i = 0; i < samples.time.size(); ++i) {
        const double t = samples.time[i] / lag;
        samples.measured[i] = 1 - 0.1 * t * std::exp(1 - t);  // deepest 0.1 at t = lag
    }
    const StepMetrics metrics = report::load_step(samples.window(1));
    CHECK_FALSE(metrics.rise_time);
    CHECK(metrics.deviation == Approx(0.1).epsilon(sampled));
    const double end = samples.measured.back();
    const auto outside = [&](double t) { return end - (1 - 0.1 * t / lag * std::exp(1 - t / lag)) - 0.002; };
    REQUIRE(metrics.settling_time);
    CHECK(*metrics.settling_time == Approx(root(outside, lag, stop)).epsilon(1e-4));
    CHECK(metrics.absolute_error == Approx(0.1 * lag * std::exp(1.0)).epsilon(1e-2));
}

TEST_CASE("steps are found in a result: each until the next of any, ramps as one, with the highest pressure") {
    results::Table table;
    std::vector<double> one, two, at_one, at_two, load, pressure;
    for (int i = 0; i <= 600; ++i) {
        const double t = i * 0.01;
        table.time.push_back(t);
        one.push_back(t <= 1 ? 0 : 0.2);
        two.push_back(t < 2.005 ? 0 : std::min(1.0, (t - 2) * 10));
        load.push_back(t <= 4 ? 0 : -5);
        at_one.push_back(t <= 1 ? 0 : 0.2 * (1 - std::exp(-(t - 1) / 0.1)));
        at_two.push_back(t <= 2 ? 0 : 1 - std::exp(-(t - 2) / 0.1));
        pressure.push_back(t < 3 ? 1e6 * t : 0);
    }
    table.columns = {{"c.one", "m", one},    {"c.two", "m", two},   {"p.one", "m", at_one},
                     {"p.two", "m", at_two}, {"p.load", "N", load}, {"h.p", "Pa", pressure}};
    const std::vector<report::WishedSteps> wishes{
        {.label = "one",
         .target = "c.one",
         .measured = "p.one",
         .load = "p.load",
         .pressures = {"h.p"},
         .unit = "mm",
         .factor = 1e3},
        {.label = "two", .target = "c.two", .measured = "p.two", .load = {}, .pressures = {}, .unit = "m"},
        {.label = "none", .target = "c.none", .measured = "p.one", .load = {}, .pressures = {}, .unit = {}}};
    const auto steps = report::step_responses(table, wishes);
    REQUIRE(steps.size() == 3);
    CHECK(steps[0].cause == "target");
    CHECK(steps[0].t == Approx(1));
    CHECK(steps[0].to == Approx(200));
    REQUIRE(steps[0].peak_pressure);
    CHECK(*steps[0].peak_pressure == Approx(2e6));  // not the 3 MPa after the next step
    REQUIRE(steps[0].metrics.rise_time);
    CHECK(*steps[0].metrics.rise_time == Approx(0.1 * std::log(9.0)).epsilon(1e-2));
    CHECK(steps[1].cause == "load");
    CHECK(steps[1].t == Approx(4));
    CHECK(steps[1].metrics.deviation == Approx(0).margin(1e-6));
    CHECK(steps[2].label == "two");
    CHECK(steps[2].t == Approx(2));
    CHECK(steps[2].to == Approx(1));
    CHECK(report::text_of(steps[0]).find("rise 0.22 s, overshoot 0.0 %") != std::string::npos);
}
