#include "master/analysis/error_bar.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

using namespace master;
using analysis::ComparedSignals;
using analysis::ShadowStep;

namespace {

/// Rows of a run and a shadow, made point by point.
struct TwoRuns {
    ComparedSignals signals;
    std::vector<double> run, shadow;
    std::size_t points = 0;

    void add(const std::vector<double>& of_run, const std::vector<double>& of_shadow) {
        run.insert(run.end(), of_run.begin(), of_run.end());
        shadow.insert(shadow.end(), of_shadow.begin(), of_shadow.end());
        ++points;
    }
    [[nodiscard]] analysis::Comparison compared() const {
        return analysis::compare(signals, {.run = run, .shadow = shadow, .points = points});
    }
    [[nodiscard]] report::ErrorBar bar(ShadowStep step, int order) const {
        report::ErrorBar result{.order = order};
        analysis::judge(signals, compared(), step, result);
        return result;
    }
};

ComparedSignals coupled(std::size_t count) {
    ComparedSignals signals;
    for (std::size_t i = 0; i < count; ++i)
        signals.reals.push_back({.name = "s" + std::to_string(i), .unit = "m", .nominal = 0, .coupled = true});
    return signals;
}

/// A sine in the run, and the same in the shadow with an error of c h^p, where the run has h = 1.
TwoRuns sine_with_error(double c, ShadowStep step, int order) {
    TwoRuns two{.signals = coupled(1), .run = {}, .shadow = {}};
    const double h = step == ShadowStep::twice ? 2 : 0.5;
    for (int i = 0; i <= 100; ++i) {
        const double t = 0.02 * std::numbers::pi * i;
        two.add({std::sin(t) + c * std::cos(t)}, {std::sin(t) + c * std::pow(h, order) * std::cos(t)});
    }
    return two;
}

}  // namespace

TEST_CASE("the estimate is the run's error, whichever step the shadow had and whatever the order") {
    constexpr double error = 0.01;
    for (const ShadowStep step : {ShadowStep::twice, ShadowStep::half}) {
        for (const int order : {1, 2}) {
            const report::ErrorBar bar = sine_with_error(error, step, order).bar(step, order);
            CHECK(bar.signals.front().error == Approx(error).epsilon(1e-9));
            CHECK(bar.signals.front().share == Approx(error / 2).epsilon(1e-3));  // of a range of 2
            CHECK(bar.converged);
        }
    }
}

TEST_CASE("the run's error has its sign at every point") {
    constexpr double error = 0.01;
    for (const ShadowStep step : {ShadowStep::twice, ShadowStep::half}) {
        for (const int order : {1, 2}) {
            const TwoRuns two = sine_with_error(error, step, order);
            const auto found = analysis::signed_errors(
                two.signals, {.run = two.run, .shadow = two.shadow, .points = two.points}, step, order);
            REQUIRE(found.front().size() == two.points);
            CHECK(found.front().front() == Approx(error).epsilon(1e-9));
            CHECK(found.front()[50] == Approx(-error).epsilon(1e-9));
        }
    }
}

TEST_CASE("not converged is a median above 5 % of the range, or one signal above 50 %") {
    const auto verdict = [](std::vector<double> shares) {
        TwoRuns two{.signals = coupled(shares.size()), .run = {}, .shadow = {}};
        for (ComparedSignals::Real& real : two.signals.reals) real.name.clear();  // the process beside the run has none
        for (int i = 0; i <= 10; ++i) {
            std::vector<double> run(shares.size(), i % 2), shadow = run;
            for (std::size_t s = 0; s < shares.size(); ++s) shadow[s] += shares[s];
            two.add(run, shadow);
        }
        return two.bar(ShadowStep::half, 1).converged;
    };
    CHECK(verdict({0.04, 0.04, 0.4}));
    CHECK_FALSE(verdict({0.04, 0.06, 0.06}));
    CHECK_FALSE(verdict({0.01, 0.01, 0.51}));
    CHECK_FALSE(verdict({0.51, 0.01, 0.01}));
    CHECK_FALSE(verdict({INFINITY, 0.01, 0.01}));
}

TEST_CASE("signals that drive nothing have an estimate and no say in the verdict") {
    TwoRuns two{.signals = coupled(2), .run = {}, .shadow = {}};
    two.signals.reals[1].coupled = false;
    for (int i = 0; i <= 10; ++i) two.add({double(i), double(i)}, {double(i), 2.0 * i});
    const report::ErrorBar bar = two.bar(ShadowStep::twice, 1);
    CHECK(bar.converged);
    CHECK(bar.signals.front().name == "s1");
    CHECK(bar.signals.front().error == 10);
}

TEST_CASE("what hardly moves beside others of its unit, or beside its own size or nominal value, is no range") {
    TwoRuns two{.signals = coupled(4), .run = {}, .shadow = {}};
    two.signals.reals[2].unit = "Pa";
    two.signals.reals[3].unit = "K";
    two.signals.reals[3].nominal = 300;
    for (int i = 0; i <= 10; ++i) {
        const double noise = i % 2;
        two.add({double(i), 1e-9 * noise, 1e7 + noise, noise},
                {double(i), 1e-9 * (1 - noise), 1e7 + 1 - noise, 1 - noise});
    }
    const report::ErrorBar bar = two.bar(ShadowStep::half, 1);
    CHECK(bar.converged);
    CHECK(bar.worst < 0.01);
}

TEST_CASE("the comparison ends where discrete outputs part, and not where one merely switches a point later") {
    const auto switching = [](int run_at, int shadow_at, int until) {
        TwoRuns two{.signals = coupled(1), .run = {}, .shadow = {}};
        two.signals.discrete.resize(1);
        for (int i = 0; i <= until; ++i)
            two.add({double(i), i >= run_at ? 1.0 : 0.0}, {i + (i > 6 ? 100.0 : 0.0), i >= shadow_at ? 1.0 : 0.0});
        return two.compared();
    };
    const analysis::Comparison later = switching(4, 5, 6);
    CHECK_FALSE(later.parted);
    CHECK(later.points == 7);
    const analysis::Comparison parted = switching(5, 20, 10);
    CHECK(parted.parted == 0);
    CHECK(parted.points == 5);
    CHECK(parted.reals.front().largest == 0);
}

TEST_CASE("a count that is off by a few is no other story") {
    TwoRuns two{.signals = coupled(1), .run = {}, .shadow = {}};
    two.signals.discrete.resize(1);
    for (int i = 0; i <= 100; ++i) two.add({double(i), double(i)}, {double(i), i + 3.0});
    CHECK_FALSE(two.compared().parted);
    for (int i = 0; i <= 100; ++i) two.add({double(i), double(i)}, {double(i), i + 20.0});
    CHECK(two.compared().parted);
}

TEST_CASE("an error that is worst at the first point of a shadow at twice the step is looked at closer") {
    TwoRuns decaying{.signals = coupled(1), .run = {}, .shadow = {}}, growing = decaying, nothing = decaying;
    for (int i = 0; i <= 20; ++i) {
        decaying.add({i * 1.0}, {i + (i == 0 ? 0 : std::exp(-2 * i))});
        growing.add({i * 1.0}, {i + 0.01 * i});
        nothing.add({i * 1.0}, {i + (i == 0 ? 0 : 1e-4 * std::exp(-2 * i))});
    }
    const auto looks = [](const TwoRuns& two) {
        return analysis::worst_at_the_start(two.signals, two.compared(), {two.run, two.shadow, 10}, ShadowStep::twice,
                                            2);
    };
    CHECK(looks(decaying));
    CHECK_FALSE(looks(growing));
    CHECK_FALSE(looks(nothing));
}

TEST_CASE("the largest error is that of the beginning where that was larger, and the mean stays") {
    constexpr int order = 2;
    constexpr double at_start = 0.2;
    const TwoRuns two = sine_with_error(0.01, ShadowStep::twice, order);
    analysis::Comparison whole = two.compared();
    const double rms = whole.reals[0].rms;
    TwoRuns opening{.signals = two.signals, .run = {}, .shadow = {}};
    opening.add({0}, {0});
    opening.add({at_start}, {at_start / 4});  // e(h/2) = e(h) / 4
    analysis::add_opening(opening.compared(), ShadowStep::twice, order, whole);
    report::ErrorBar bar{.order = order};
    analysis::judge(two.signals, whole, ShadowStep::twice, bar);
    CHECK(bar.signals.front().error == Approx(at_start).epsilon(1e-9));
    CHECK(whole.reals[0].rms == rms);
}

TEST_CASE("half the step is worse where it grows beyond the run by far") {
    TwoRuns two{.signals = coupled(1), .run = {}, .shadow = {}};
    for (int i = 0; i <= 10; ++i) two.add({std::pow(-2, i)}, {std::pow(-2, 2 * i)});
    CHECK(analysis::worse_when_finer(two.signals, two.compared()));
    std::swap(two.run, two.shadow);
    CHECK_FALSE(analysis::worse_when_finer(two.signals, two.compared()));
}
