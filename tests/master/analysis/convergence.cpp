#include "master/analysis/convergence.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>

using master::analysis::Convergence;
using master::analysis::Shrinking;

namespace {

/// Three runs of one signal: `value(t, h)` at h = 0.1, 0.05 and 0.025.
Convergence of(const std::function<double(double, double)>& value, double tolerance = 0) {
    std::vector<std::vector<double>> runs;
    for (const double h : {0.1, 0.05, 0.025}) {
        std::vector<double>& run = runs.emplace_back();
        for (int i = 0; i <= 100; ++i) run.push_back(value(0.1 * i, h));
    }
    return master::analysis::convergence({{"y", "m"}}, runs, tolerance);
}

/// Differs from run to run and from point to point, and has no order.
double noise(double t, double h) { return std::sin(1e4 * t / h + 1 / h); }

}  // namespace

TEST_CASE("errors that are powers of the step have that order") {
    for (const double p : {1.0, 2.0, 4.0}) {
        const Convergence result =
            of([&](double t, double h) { return std::sin(t) + std::pow(h, p) * std::cos(3 * t); }, 1e-9);
        CHECK(result.order == Approx(p).margin(1e-3));
        CHECK(result.signals[0].shrinking == Shrinking::regular);
        CHECK(result.signals[0].error_at_h == Approx(std::pow(0.1, p)).epsilon(1e-2));
    }
}

TEST_CASE("differences at the level of rounding have no order") {
    const Convergence result = of([](double t, double h) { return 5 + std::sin(t) + 1e-15 * noise(t, h); });
    CHECK(std::isnan(result.order));
    CHECK(result.shrinking == Shrinking::rounding);
    CHECK(of([](double t, double) { return t; }).shrinking == Shrinking::rounding);
    CHECK(of([](double, double) { return 0.0; }).shrinking == Shrinking::rounding);
}

TEST_CASE("signals that the step does not change do not speak for one that it does") {
    std::vector<std::vector<double>> runs;
    for (const double h : {0.1, 0.05, 0.025}) {
        std::vector<double>& run = runs.emplace_back();
        for (int i = 0; i <= 100; ++i) run.insert(run.end(), {1.0, 0.1 * i, noise(0.1 * i, h)});
    }
    const Convergence result = master::analysis::convergence({{"a", ""}, {"b", ""}, {"c", ""}}, runs, 0);
    CHECK(result.shrinking == Shrinking::irregular);
    CHECK(result.signals[0].name == "c");
}

TEST_CASE("differences at the level of the solver's tolerance have no order, even where they shrink") {
    const auto value = [](double t, double h) { return 4 * std::sin(t) + 1e-5 * h * h * std::cos(t); };
    const Convergence result = of(value, 1e-6);
    CHECK(std::isnan(result.order));
    CHECK(result.shrinking == Shrinking::tolerance);
    CHECK(result.signals[0].error_at_h == result.signals[0].coarse);
    CHECK(of(value, 1e-9).order == Approx(2).margin(1e-3));
}

TEST_CASE("differences that do not shrink, or differently at every point, have no order") {
    CHECK(of([](double t, double h) { return t + 1e-3 * noise(t, h); }).shrinking == Shrinking::irregular);
    // The largest differences shrink by four here, but they are not those of one error function.
    CHECK(of([](double t, double h) { return t + h * h * noise(t, h); }).shrinking == Shrinking::irregular);
    CHECK(of([](double t, double h) { return t + std::pow(h, 0.1); }).shrinking == Shrinking::irregular);
}

TEST_CASE("two runs that meet a jump alike by chance do not hide the third") {
    // A jump at 0.35 acts at the next point: at 0.4, 0.35 and 0.35, or by another step at 0.4, 0.4 and 0.35.
    const auto late = [](double first, double second, double third) {
        return of([=](double t, double h) {
            return std::max(0.0, t - (h == 0.1 ? first : h == 0.05 ? second : third));
        });
    };
    const Convergence coarse = late(4, 3.5, 3.5), fine = late(4, 4, 3.5);
    for (const Convergence& result : {coarse, fine}) {
        CHECK(result.shrinking == Shrinking::irregular);
        CHECK(std::isnan(result.order));
        CHECK(result.signals[0].error_at_h == Approx(0.5));
        CHECK_FALSE(result.converged);
    }
    CHECK(late(3.51, 3.51, 3.5).converged);
}

TEST_CASE("signals that are coupled with nothing do not count for the verdict") {
    std::vector<std::vector<double>> runs;
    for (const double h : {0.1, 0.05, 0.025}) {
        std::vector<double>& run = runs.emplace_back();
        for (int i = 0; i <= 100; ++i) run.insert(run.end(), {0.1 * i, 0.2 * i, std::sin(0.1 * i) + 3 * h});
    }
    using Columns = std::vector<master::analysis::ComparedColumn>;
    CHECK(master::analysis::convergence(Columns{{"a", ""}, {"b", ""}, {"c", ""}}, runs, 0).converged);
    CHECK_FALSE(
        master::analysis::convergence(Columns{{"a", "", false}, {"b", "", false}, {"c", ""}}, runs, 0).converged);
}
