#include "tests/support/bench.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

using tests::Bench;
using tests::TestModel;
using Vector = std::vector<double>;
using master::core::Hold;

namespace {

constexpr double pi = std::numbers::pi;
constexpr double k = 4 * pi * pi;
constexpr double k12 = 16 * pi * pi;

enum class Outputs { held, refreshed };

/// Two masses that exchange displacements; both own the spring between them.
Bench displacement_split(const master::base::Fraction& h) {
    const auto mass = [](double x0) {
        return TestModel{.inputs = {"other"},
                         .outputs = {"x"},
                         .x = {x0, 0},
                         .u = {0},
                         .derivative =
                             [](double, const Vector& x, const Vector& u) {
                                 return Vector{x[1], -k * x[0] + k12 * (u[0] - x[0])};
                             },
                         .output = [](const Vector& x, const Vector&) { return Vector{x[0]}; }};
    };
    Bench bench(h);
    bench.unit("left", mass(1)).unit("right", mass(0));
    bench.wire("left.x", "right.other").wire("right.x", "left.other");
    return bench;
}

/// The left mass gets a force, the right one gets a displacement and feeds it through to the force.
Bench force_split(const master::base::Fraction& h, Outputs outputs) {
    TestModel left{.inputs = {"F"},
                   .outputs = {"x"},
                   .x = {1, 0},
                   .u = {0},
                   .derivative =
                       [](double, const Vector& x, const Vector& u) {
                           return Vector{x[1], -k * x[0] + u[0]};
                       },
                   .output = [](const Vector& x, const Vector&) { return Vector{x[0]}; }};
    TestModel right{.inputs = {"x1"},
                    .outputs = {"x", "F"},
                    .x = {0, 0},
                    .u = {0},
                    .derivative =
                        [](double, const Vector& x, const Vector& u) {
                            return Vector{x[1], -k * x[0] - k12 * (x[0] - u[0])};
                        },
                    .output =
                        [](const Vector& x, const Vector& u) {
                            return Vector{x[0], k12 * (x[0] - u[0])};
                        },
                    .feedthrough = {{}, {0}},
                    .refreshes = outputs == Outputs::refreshed};
    Bench bench(h);
    bench.unit("left", left).unit("right", right);
    bench.wire("left.x", "right.x1").wire("right.F", "left.F");
    return bench;
}

/// Largest error of both displacements on [0, 1] s against the closed form.
double two_mass_error(Bench& bench) {
    double worst = 0;
    bench.run({1, 1}, [&](double t, const Vector& y) {
        worst = std::max(worst, std::abs(y[0] - (std::cos(2 * pi * t) + std::cos(6 * pi * t)) / 2));
        worst = std::max(worst, std::abs(y[1] - (std::cos(2 * pi * t) - std::cos(6 * pi * t)) / 2));
    });
    return worst;
}

struct Row {
    std::string algorithm;
    Hold hold;
    std::vector<double> errors;  // at h = 0.01, 0.005, 0.0025, 0.00125
};

const std::vector<master::base::Fraction> steps{{1, 100}, {1, 200}, {1, 400}, {1, 800}};

// The published errors have four digits.
constexpr double printed = 6e-4;

}  // namespace

TEST_CASE("two masses, displacement split: errors as published") {
    const std::vector<Row> rows{
        {"jacobi", Hold::constant, {4.040e-1, 1.986e-1, 9.885e-2, 4.937e-2}},
        {"gauss-seidel", Hold::constant, {1.042e-1, 5.223e-2, 2.615e-2, 1.308e-2}},
        {"gauss-seidel", Hold::compensated, {8.807e-3, 2.247e-3, 5.673e-4, 1.425e-4}},
        {"gauss-seidel", Hold::linear, {1.540e-2, 3.889e-3, 9.750e-4, 2.441e-4}},
        {"jacobi", Hold::compensated, {2.667e-2, 6.639e-3, 1.659e-3, 4.147e-4}},
        {"jacobi", Hold::linear, {3.340e-2, 8.303e-3, 2.074e-3, 5.183e-4}},
    };
    for (const Row& row : rows) {
        for (std::size_t i = 0; i < steps.size(); ++i) {
            Bench bench = displacement_split(steps[i]);
            bench.algorithm = row.algorithm;
            bench.hold = row.hold;
            INFO(row.algorithm << " hold " << static_cast<int>(row.hold)
                               << " h = " << master::base::to_string(steps[i]));
            CHECK(two_mass_error(bench) == Approx(row.errors[i]).epsilon(printed));
        }
    }
}

TEST_CASE("two masses, force split: held and refreshed outputs give the published errors") {
    struct Case {
        Row row;
        Outputs outputs;
    };
    const std::vector<Case> cases{
        {{"jacobi", Hold::constant, {4.908e-1, 2.191e-1, 1.038e-1, 5.060e-2}}, Outputs::refreshed},
        {{"jacobi", Hold::constant, {8.838e-1, 3.663e-1, 1.648e-1, 7.810e-2}}, Outputs::held},
        {{"jacobi", Hold::compensated, {2.399e-1, 1.064e-1, 5.092e-2, 2.502e-2}}, Outputs::held},
        {{"jacobi", Hold::linear, {8.014e-2, 1.966e-2, 4.897e-3, 1.223e-3}}, Outputs::held},
        {{"gauss-seidel", Hold::constant, {2.638e-1, 1.250e-1, 6.086e-2, 3.004e-2}}, Outputs::held},
    };
    for (const Case& c : cases) {
        for (std::size_t i = 0; i < steps.size(); ++i) {
            Bench bench = force_split(steps[i], c.outputs);
            bench.algorithm = c.row.algorithm;
            bench.hold = c.row.hold;
            INFO(c.row.algorithm << " hold " << static_cast<int>(c.row.hold)
                                 << " h = " << master::base::to_string(steps[i])
                                 << (c.outputs == Outputs::held ? " held" : " refreshed"));
            CHECK(two_mass_error(bench) == Approx(c.row.errors[i]).epsilon(printed));
        }
    }
}

TEST_CASE("the run says that the order is 1 where an output feeds a held input through") {
    Bench bench = force_split({1, 100}, Outputs::held);
    bench.hold = Hold::compensated;
    bench.make();
    REQUIRE(bench.diagnostics.findings().size() == 1);
    CHECK(bench.diagnostics.findings()[0].code == "order");
    CHECK_THAT(bench.diagnostics.findings()[0].text, Catch::Contains("left.x -> right.x1"));
    CHECK_THAT(bench.diagnostics.findings()[0].text, !Catch::Contains("right.F"));
}

namespace {

/// x' = -x + L y and y' = -y - L x, each solved exactly for a held input.
Bench rotation(double L, const master::base::Fraction& h) {
    const auto half = [](double x0, double gain) {
        return TestModel{.inputs = {"u"},
                         .outputs = {"x"},
                         .x = {x0},
                         .u = {0},
                         .output = [](const Vector& x, const Vector&) { return x; },
                         .exact =
                             [gain](const Vector& x, const Vector& u, double step) {
                                 const double q = std::exp(-step);
                                 return Vector{q * x[0] + gain * (1 - q) * u[0]};
                             }};
    };
    Bench bench(h);
    bench.unit("A", half(1, L)).unit("B", half(0, -L)).wire("B.x", "A.u").wire("A.x", "B.u");
    return bench;
}

}  // namespace

TEST_CASE("coupled Dahlquist rotation: the recurrences of Jacobi and Gauss-Seidel to 1e-12") {
    const auto end = [](Bench& bench) {
        Vector last;
        bench.run({1, 1}, [&](double, const Vector& y) { last = y; });
        return last;
    };
    Bench jacobi = rotation(10, {1, 100});
    const Vector j = end(jacobi);
    CHECK(j[0] == Approx(-0.504655876375).margin(1e-12));
    CHECK(j[1] == Approx(0.339179567917).margin(1e-12));
    Bench seidel = rotation(10, {1, 100});
    seidel.algorithm = "gauss-seidel";
    const Vector g = end(seidel);
    CHECK(g[0] == Approx(-0.317915546394).margin(1e-12));
    CHECK(g[1] == Approx(0.200679241250).margin(1e-12));
}

TEST_CASE("coupled Dahlquist rotation: stable just below the limit, unstable just above") {
    struct Limit {
        double L;
        std::string algorithm;
        master::base::Fraction below, above;
    };
    // 0.99 and 1.01 of the closed-form limits.
    const std::vector<Limit> limits{{5, "jacobi", {79243, 1000000}, {80843, 1000000}},
                                    {10, "jacobi", {19801, 1000000}, {20201, 1000000}},
                                    {5, "gauss-seidel", {401410, 1000000}, {409519, 1000000}},
                                    {10, "gauss-seidel", {198664, 1000000}, {202677, 1000000}}};
    for (const Limit& limit : limits) {
        for (const bool stable : {true, false}) {
            const master::base::Fraction& h = stable ? limit.below : limit.above;
            Bench bench = rotation(limit.L, h);
            bench.algorithm = limit.algorithm;
            double early = 0, late = 0;
            const master::base::Fraction stop{h.numerator * 2000, h.denominator};
            bench.run(stop, [&](double t, const Vector& y) {
                const double size = std::hypot(y[0], y[1]);
                (t < stop.value() / 2 ? early : late) = std::max(t < stop.value() / 2 ? early : late, size);
            });
            INFO(limit.algorithm << " L = " << limit.L << " h = " << h.value());
            CHECK((late < early) == stable);
        }
    }
}

namespace {

Bench quarter_car(const master::base::Fraction& h, Outputs outputs) {
    TestModel chassis{.inputs = {"F"},
                      .outputs = {"v", "z"},
                      .x = {0, 0},
                      .u = {0},
                      .derivative =
                          [](double, const Vector& x, const Vector& u) {
                              return Vector{x[1], -u[0] / 400};
                          },
                      .output =
                          [](const Vector& x, const Vector&) {
                              return Vector{x[1], x[0]};
                          }};
    const auto force = [](const Vector& x, const Vector& u) { return 15000 * (x[2] - x[0]) + 1000 * (u[0] - x[1]); };
    TestModel wheel{.inputs = {"v"},
                    .outputs = {"F", "z"},
                    .x = {0, 0, 0},
                    .u = {0},
                    .derivative =
                        [force](double, const Vector& x, const Vector& u) {
                            return Vector{x[1], (force(x, u) - 150000 * (x[0] - 0.1)) / 40, u[0]};
                        },
                    .output =
                        [force](const Vector& x, const Vector& u) {
                            return Vector{force(x, u), x[0]};
                        },
                    .feedthrough = {{0}, {}},
                    .refreshes = outputs == Outputs::refreshed};
    Bench bench(h);
    bench.unit("chassis", chassis).unit("wheel", wheel);
    bench.wire("chassis.v", "wheel.v").wire("wheel.F", "chassis.F");
    return bench;
}

}  // namespace

TEST_CASE("quarter car: the reference values are met by a small step") {
    Bench bench = quarter_car({1, 8000}, Outputs::refreshed);
    bench.hold = Hold::compensated;
    double chassis = 0, wheel = 0;
    bench.run({1, 2}, [&](double, const Vector& y) {
        chassis = y[1];
        wheel = y[3];
    });
    CHECK(chassis == Approx(0.161468588002).margin(3e-7));
    CHECK(wheel == Approx(0.105327423320).margin(3e-7));
}

TEST_CASE("quarter car: errors at 8, 4, 2 and 1 ms as published") {
    // The reference: both halves in one unit, integrated to rounding.
    std::vector<Vector> exact;
    {
        TestModel whole{.outputs = {"zc", "zw"},
                        .x = {0, 0, 0, 0},
                        .derivative =
                            [](double, const Vector& x, const Vector&) {
                                const double F = 15000 * (x[0] - x[2]) + 1000 * (x[1] - x[3]);
                                return Vector{x[1], -F / 400, x[3], (F - 150000 * (x[2] - 0.1)) / 40};
                            },
                        .output =
                            [](const Vector& x, const Vector&) {
                                return Vector{x[0], x[2]};
                            }};
        Bench bench({1, 1000});
        bench.unit("car", whole);
        bench.run({2, 1}, [&](double, const Vector& y) { exact.push_back(y); });
        CHECK(exact[500][0] == Approx(0.161468588002).margin(1e-11));
        CHECK(exact[2000][1] == Approx(0.098929105635).margin(1e-11));
    }
    struct Case {
        Row row;
        Outputs outputs;
    };
    const std::vector<Case> cases{
        {{"jacobi", Hold::constant, {5.66e-3, 2.76e-3, 1.37e-3, 6.78e-4}}, Outputs::refreshed},
        {{"gauss-seidel", Hold::constant, {2.23e-3, 9.67e-4, 4.61e-4, 2.26e-4}}, Outputs::refreshed},
        {{"jacobi", Hold::compensated, {5.73e-4, 1.43e-4, 3.56e-5, 8.89e-6}}, Outputs::refreshed},
        {{"jacobi", Hold::constant, {6.03e-3, 2.95e-3, 1.46e-3, 7.27e-4}}, Outputs::held},
        {{"jacobi", Hold::compensated, {1.06e-3, 5.34e-4, 2.69e-4, 1.35e-4}}, Outputs::held},
        {{"jacobi", Hold::linear, {5.37e-4, 1.34e-4, 3.34e-5, 8.34e-6}}, Outputs::held},
    };
    constexpr double three_digits = 6e-3;
    for (const Case& c : cases) {
        for (std::size_t i = 0; i < 4; ++i) {
            const int stride = 8 >> i;
            Bench bench = quarter_car({stride, 1000}, c.outputs);
            bench.algorithm = c.row.algorithm;
            bench.hold = c.row.hold;
            double worst = 0;
            std::size_t n = 0;
            bench.run({2, 1}, [&](double, const Vector& y) {
                worst = std::max({worst, std::abs(y[1] - exact[n][0]), std::abs(y[3] - exact[n][1])});
                n += static_cast<std::size_t>(stride);
            });
            INFO(c.row.algorithm << " hold " << static_cast<int>(c.row.hold) << " h = " << stride << " ms "
                                 << (c.outputs == Outputs::held ? "held" : "refreshed"));
            CHECK(worst == Approx(c.row.errors[i]).epsilon(three_digits));
        }
    }
}
