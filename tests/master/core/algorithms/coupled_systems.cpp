#include "tests/master/core/algorithms/coupled_systems.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

namespace tests {
namespace {

using Vector = std::vector<double>;

constexpr double pi = std::numbers::pi;
constexpr double k = 4 * pi * pi;
constexpr double k12 = 16 * pi * pi;

// The published errors of the masses have four digits, those of the quarter car three.
constexpr double four_digits = 6e-4;
constexpr double three_digits = 6e-3;

const std::vector<master::base::Fraction> steps{{1, 100}, {1, 200}, {1, 400}, {1, 800}};

/// Largest error of both displacements on [0, 1] s against the closed form.
double two_mass_error(Bench& bench) {
    double worst = 0;
    bench.run({1, 1}, [&](double t, const Vector& y) {
        worst = std::max(worst, std::abs(y[0] - (std::cos(2 * pi * t) + std::cos(6 * pi * t)) / 2));
        worst = std::max(worst, std::abs(y[1] - (std::cos(2 * pi * t) - std::cos(6 * pi * t)) / 2));
    });
    return worst;
}

void check_two_masses(Bench& bench, const std::string& algorithm, const Published& published, std::size_t i) {
    bench.algorithm = algorithm;
    bench.hold = published.hold;
    INFO(algorithm << " hold " << static_cast<int>(published.hold) << " h = " << master::base::to_string(steps[i])
                   << (published.outputs == Outputs::held ? " held" : " refreshed"));
    CHECK(two_mass_error(bench) == Approx(published.errors[i]).epsilon(four_digits));
}

/// Both halves of the quarter car in one unit, integrated to rounding: the displacements at every millisecond.
std::vector<Vector> undivided_car() {
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
    std::vector<Vector> places;
    bench.run({2, 1}, [&](double, const Vector& y) { places.push_back(y); });
    CHECK(places[500][0] == Approx(0.161468588002).margin(1e-11));
    CHECK(places[2000][1] == Approx(0.098929105635).margin(1e-11));
    return places;
}

}  // namespace

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

void check_displacement_split(const std::string& algorithm, const Published& published) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
        Bench bench = displacement_split(steps[i]);
        check_two_masses(bench, algorithm, published, i);
    }
}

void check_force_split(const std::string& algorithm, const Published& published) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
        Bench bench = force_split(steps[i], published.outputs);
        check_two_masses(bench, algorithm, published, i);
    }
}

void check_quarter_car(const std::string& algorithm, const Published& published) {
    static const std::vector<Vector> exact = undivided_car();
    for (std::size_t i = 0; i < 4; ++i) {
        const int stride = 8 >> i;
        Bench bench = quarter_car({stride, 1000}, published.outputs);
        bench.algorithm = algorithm;
        bench.hold = published.hold;
        double worst = 0;
        std::size_t n = 0;
        bench.run({2, 1}, [&](double, const Vector& y) {
            worst = std::max({worst, std::abs(y[1] - exact[n][0]), std::abs(y[3] - exact[n][1])});
            n += static_cast<std::size_t>(stride);
        });
        INFO(algorithm << " hold " << static_cast<int>(published.hold) << " h = " << stride << " ms "
                       << (published.outputs == Outputs::held ? "held" : "refreshed"));
        CHECK(worst == Approx(published.errors[i]).epsilon(three_digits));
    }
}

std::vector<double> rotation_after_1_s(const std::string& algorithm) {
    Bench bench = rotation(10, {1, 100});
    bench.algorithm = algorithm;
    Vector last;
    bench.run({1, 1}, [&](double, const Vector& y) { last = y; });
    return last;
}

void check_stability(const std::string& algorithm, double L, const StabilityLimit& limit) {
    for (const bool stable : {true, false}) {
        const master::base::Fraction& h = stable ? limit.below : limit.above;
        Bench bench = rotation(L, h);
        bench.algorithm = algorithm;
        double early = 0, late = 0;
        const master::base::Fraction stop{h.numerator * 2000, h.denominator};
        bench.run(stop, [&](double t, const Vector& y) {
            double& part = t < stop.value() / 2 ? early : late;
            part = std::max(part, std::hypot(y[0], y[1]));
        });
        INFO(algorithm << " L = " << L << " h = " << h.value());
        CHECK((late < early) == stable);
    }
}

}  // namespace tests
