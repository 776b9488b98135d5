#include "master/analysis/linear/margins.hpp"
#include "master/analysis/linear/state_space.hpp"
#include "master/base/error.hpp"
#include "master/core/checked_slopes.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <numbers>

using namespace master::analysis;

namespace {

constexpr double pi = std::numbers::pi;
constexpr double rounding = 1e-12;

Matrix matrix(std::size_t rows, std::size_t columns, std::vector<double> values) {
    Matrix result(rows, columns);
    result.values = std::move(values);
    return result;
}

/// x'' = -w^2 x - 2 d w x' + w^2 u.
StateSpace oscillator(double frequency, double damping) {
    const double w = 2 * pi * frequency;
    StateSpace system{.states = {"x", "v"}, .a = Matrix(2, 2), .b = Matrix(2, 1), .c = Matrix(1, 2), .d = Matrix(1, 1)};
    system.a(0, 1) = 1;
    system.a(1, 0) = -w * w;
    system.a(1, 1) = -2 * damping * w;
    system.b(1, 0) = w * w;
    system.c(0, 0) = 1;
    return system;
}

StateSpace integrator(double rate) {
    StateSpace system{.states = {"x"}, .a = Matrix(1, 1), .b = Matrix(1, 1), .c = Matrix(1, 1), .d = Matrix(1, 1)};
    system.b(0, 0) = rate;
    system.c(0, 0) = 1;
    return system;
}

StateSpace sampled(const StateSpace& continuous, double period) {
    const Transition moved = transition(continuous.a, continuous.b, period);
    return {continuous.states, moved.a, moved.b, continuous.c, continuous.d, period};
}

}  // namespace

TEST_CASE("an oscillator's mode has its frequency and damping, sampled or not") {
    const StateSpace system = oscillator(10, 0.8);
    for (const StateSpace& one : {system, sampled(system, 1e-3)}) {
        const Modes modes = modes_of(one);
        REQUIRE(modes.modes.size() == 1);
        CHECK(modes.modes[0].frequency() == Approx(10).epsilon(1e-9));
        CHECK(modes.modes[0].damping() == Approx(0.8).epsilon(1e-9));
        CHECK(modes.forgotten == 0);
    }
}

TEST_CASE("numbers of very different size do not hurt the modes") {
    StateSpace system = oscillator(5, 0.1);
    system.a(0, 1) *= 1e9;
    system.a(1, 0) /= 1e9;
    CHECK(modes_of(system).modes[0].frequency() == Approx(5).epsilon(1e-12));
}

TEST_CASE("zeros are those of the numerator, and there are no more") {
    // (s^2 + 2 s + 5) / (s^3 + 6 s^2 + 11 s + 6), as a chain of integrators.
    StateSpace system{.a = matrix(3, 3, {0, 1, 0, 0, 0, 1, -6, -11, -6}),
                      .b = matrix(3, 1, {0, 0, 1}),
                      .c = matrix(1, 3, {5, 2, 1}),
                      .d = matrix(1, 1, {0})};
    const std::vector<std::complex<double>> pair = zeros_of(system);
    REQUIRE(pair.size() == 1);
    CHECK(std::abs(pair[0] - std::complex(-1.0, 2.0)) < 1e-12);
    system.c = matrix(1, 3, {5, 1, 0});
    const std::vector<std::complex<double>> single = zeros_of(system);
    REQUIRE(single.size() == 1);
    CHECK(std::abs(single[0] + 5.0) < 1e-12);
}

TEST_CASE("numbers that are none have no poles") {
    const double none = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_AS(modes_of({.a = matrix(1, 1, {none})}), master::base::Error);
    CHECK_THROWS_AS(modes_of({.a = matrix(2, 2, {none, 1, 0, 1})}), master::base::Error);
}

TEST_CASE("a response is what a sine does") {
    const StateSpace system = oscillator(1, 0.5);
    const auto found = response(system, {0.5, 1});
    CHECK(std::abs(found[0] - 1.0 / std::complex(1 - 0.25, 0.5)) < rounding);
    CHECK(std::abs(found[1] - 1.0 / std::complex(0.0, 1.0)) < rounding);
    // Held over short samples it comes half a sample later.
    const double h = 1e-4;
    const auto held = response(sampled(system, h), {1.0});
    CHECK(std::abs(held[0] - found[1] * std::exp(std::complex(0.0, -pi * h))) < 1e-6);
}

TEST_CASE("inputs with a slope are integrated exactly") {
    Matrix a(1, 1), b(1, 1);
    a(0, 0) = -2;
    b(0, 0) = 3;
    const double h = 0.7, q = std::exp(-2 * h);
    const Transition moved = transition(a, b, h);
    CHECK(moved.a(0, 0) == Approx(q).epsilon(rounding));
    CHECK(moved.b(0, 0) == Approx(1.5 * (1 - q)).epsilon(rounding));
    CHECK(moved.slope(0, 0) == Approx(1.5 * h - 0.75 * (1 - q)).epsilon(rounding));
}

TEST_CASE("pulses of a system are enough to find its order and its modes") {
    const StateSpace system = sampled(oscillator(3, 0.05), 0.02);
    std::vector<Matrix> pulses;
    double x = system.b(0, 0), v = system.b(1, 0);
    for (int k = 0; k < 81; ++k) {
        Matrix pulse(1, 1);
        pulse(0, 0) = x;
        pulses.push_back(pulse);
        const double next = system.a(0, 0) * x + system.a(0, 1) * v;
        v = system.a(1, 0) * x + system.a(1, 1) * v;
        x = next;
    }
    const Realization found = realize(pulses, 1e-9, 0.02);
    CHECK(found.model.states.size() == 2);
    CHECK(found.error < 1e-9);
    CHECK(modes_of(found.model).modes[0].frequency() == Approx(3).epsilon(1e-8));
    CHECK(modes_of(found.model).modes[0].damping() == Approx(0.05).epsilon(1e-7));
}

TEST_CASE("a unit without memory has an answer and no state") {
    std::vector<Matrix> pulses(21, Matrix(1, 1));
    pulses[0](0, 0) = -4;
    const Realization found = realize(pulses, 1e-9, 0.1);
    CHECK(found.model.states.empty());
    CHECK(found.model.d(0, 0) == -4);
}

TEST_CASE("an open loop closes to its own system and to no other") {
    StateSpace open = sampled(oscillator(1, 0.5), 0.05);
    open.c(0, 0) = 0.5;
    StateSpace closed = open;
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 2; ++j) closed.a(i, j) += open.b(i, 0) * open.c(0, j);
    CHECK(closes_to(open, closed));
    CHECK_FALSE(closes_to(open, open));
    closed.a(1, 0) *= 1.001;
    CHECK_FALSE(closes_to(open, closed));
}

TEST_CASE("margins of a double integrator with lead are those of the formula") {
    // L = k (1 + T s) / s^2: |L| = 1 at w^4 = k^2 (1 + T^2 w^2), phase margin atan(T w).
    const double k = 4, T = 0.5;
    const double w = std::sqrt((k * k * T * T + std::sqrt(std::pow(k * T, 4) + 4 * k * k)) / 2);
    StateSpace loop{.a = Matrix(2, 2), .b = Matrix(2, 1), .c = Matrix(1, 2), .d = Matrix(1, 1)};
    loop.a(0, 1) = 1;
    loop.b(1, 0) = 1;
    loop.c(0, 0) = k;
    loop.c(0, 1) = k * T;
    const Margins found = margins(loop);
    REQUIRE(found.phase);
    CHECK(found.phase->degrees == Approx(std::atan(T * w) * 180 / pi).epsilon(1e-9));
    CHECK(found.phase->at == Approx(w / (2 * pi)).epsilon(1e-9));
    CHECK(*found.delay == Approx(std::atan(T * w) / w).epsilon(1e-9));
    CHECK_FALSE(found.upper);
    CHECK_FALSE(found.lower);
}

TEST_CASE("the gain margin of three lags is eight") {
    StateSpace loop{.a = Matrix(3, 3), .b = Matrix(3, 1), .c = Matrix(1, 3), .d = Matrix(1, 1)};
    for (std::size_t i = 0; i < 3; ++i) loop.a(i, i) = -1;
    loop.a(0, 1) = loop.a(1, 2) = loop.b(2, 0) = loop.c(0, 0) = 1;
    const Margins found = margins(loop);
    REQUIRE(found.upper);
    CHECK(found.upper->factor == Approx(8).epsilon(1e-9));
    CHECK(found.upper->at == Approx(std::sqrt(3.0) / (2 * pi)).epsilon(1e-9));
    CHECK_FALSE(found.phase);
}

TEST_CASE("an integrator's gain is one at its own rate, however slow that is") {
    for (const double k : {1e3, 1.0, 1e-4, 1e-9}) {
        const StateSpace loop = integrator(k);
        const Margins found = margins(loop);
        REQUIRE(found.phase);
        CHECK(found.phase->at == Approx(k / (2 * pi)).epsilon(1e-9));
        CHECK(found.phase->degrees == Approx(90).epsilon(1e-9));
        CHECK(*found.delay == Approx(pi / 2 / k).epsilon(1e-9));
        CHECK_FALSE(found.upper);
        CHECK_FALSE(found.lower);
    }
    // Sampled it is k h / (z - 1) with |z - 1| = 2 sin(w h / 2): half a sample behind, and -k h / 2 at half the rate.
    const double h = 1e-3;
    for (const double k : {100.0, 0.1, 1e-4, 1e-6}) {
        const Margins found = margins(sampled(integrator(k), h));
        const double w = 2 / h * std::asin(k * h / 2);
        REQUIRE(found.phase);
        CHECK(found.phase->at == Approx(w / (2 * pi)).epsilon(1e-9));
        CHECK(found.phase->degrees == Approx(90 - w * h / 2 * 180 / pi).epsilon(1e-9));
        REQUIRE((found.upper || k == 1e-6));  // a factor of 2e9 is none
        if (found.upper) CHECK(found.upper->factor == Approx(2 / (k * h)).epsilon(1e-9));
        if (found.upper) CHECK(found.upper->at == Approx(0.5 / h));
    }
}

TEST_CASE("a resonance that is narrower than any grid is met on both sides") {
    // |1 - x + 2 i d sqrt(x)| = g with x = (f / f0)^2.
    const double f0 = 10, d = 1e-4, g = 1e-3;
    StateSpace loop = oscillator(f0, d);
    loop.c(0, 0) = g;
    const double middle = 1 - 2 * d * d, half = std::sqrt(middle * middle - (1 - g * g));
    const Margins found = margins(loop);
    REQUIRE(found.phase);
    // Behind the resonance it has turned by nearly half a circle.
    CHECK(found.phase->at == Approx(f0 * std::sqrt(middle + half)).epsilon(1e-9));
    CHECK(found.phase->degrees ==
          Approx(std::atan2(2 * d * std::sqrt(middle + half), middle + half - 1) * 180 / pi).epsilon(1e-6));
    const Margins held = margins(sampled(loop, 1e-3));
    REQUIRE(held.phase);
    CHECK(held.phase->at == Approx(f0 * std::sqrt(middle + half)).epsilon(1e-3));
    // The same without damping, which is infinite there.
    loop.a(1, 1) = 0;
    const Margins undamped = margins(loop);
    REQUIRE(undamped.phase);
    CHECK(undamped.phase->at == Approx(f0 * std::sqrt(1 + g)).epsilon(1e-9));
    CHECK(std::fabs(undamped.phase->degrees) < 1e-6);
}

TEST_CASE("a notch that is narrower than any grid is met on both sides") {
    // L = 2 (s^2 + 2 a s + 1) / (s^2 + 2 b s + 1): 3 (1 - x)^2 = 4 x (b^2 - 4 a^2) where the gain is one.
    const double a = 1e-6, b = 1e-4;
    StateSpace loop{.a = Matrix(2, 2), .b = Matrix(2, 1), .c = Matrix(1, 2), .d = Matrix(1, 1)};
    loop.a(0, 1) = 1;
    loop.a(1, 0) = -1;
    loop.a(1, 1) = -2 * b;
    loop.b(1, 0) = 1;
    loop.c(0, 1) = 4 * (a - b);
    loop.d(0, 0) = 2;
    const Margins found = margins(loop);
    REQUIRE(found.phase);
    const double x = 1 - 2 * std::sqrt((b * b - 4 * a * a) / 3);
    CHECK(std::fabs(found.phase->at * 2 * pi - 1) == Approx(std::fabs(std::sqrt(x) - 1)).epsilon(1e-3));
}

TEST_CASE("a gain without memory has its margin at rest") {
    StateSpace loop{.a = Matrix(0, 0), .b = Matrix(0, 1), .c = Matrix(1, 0), .d = Matrix(1, 1)};
    loop.d(0, 0) = -0.25;
    const Margins found = margins(loop);
    REQUIRE(found.upper);
    CHECK(found.upper->factor == 4);
    CHECK(found.upper->at == 0);
    CHECK_FALSE(found.phase);
    loop.d(0, 0) = -5;
    REQUIRE(margins(loop).lower);
    CHECK(margins(loop).lower->factor == Approx(0.2));
    loop.d(0, 0) = 5;
    CHECK_FALSE(margins(loop).upper);
    CHECK_FALSE(margins(loop).lower);
    // A lag of the wrong sign falls over at rest, too; what only watches the loop has no say.
    StateSpace lag{.a = Matrix(2, 2), .b = Matrix(2, 1), .c = Matrix(1, 2), .d = Matrix(1, 1)};
    lag.a(0, 0) = -3;
    lag.a(1, 0) = 1;
    lag.b(0, 0) = 3;
    lag.c(0, 0) = -0.5;
    REQUIRE(margins(lag).upper);
    CHECK(margins(lag).upper->factor == Approx(2).epsilon(1e-9));
    CHECK(margins(lag).upper->at == 0);
    // Given back a sample later, it turns by half a circle at half the rate.
    StateSpace later{.a = Matrix(1, 1), .b = Matrix(1, 1), .c = Matrix(1, 1), .d = Matrix(1, 1), .period = 0.1};
    later.b(0, 0) = 1;
    later.c(0, 0) = 0.5;
    REQUIRE(margins(later).upper);
    CHECK(margins(later).upper->factor == Approx(2).epsilon(1e-9));
    CHECK(margins(later).upper->at == Approx(5));
}

TEST_CASE("differences find a slope to nine digits, and say where there is none") {
    const auto smooth = [](double x) { return std::vector{std::sin(1 + x), 1e6 + x, 7.0}; };
    const auto found = master::core::checked_slopes(smooth, 1.0);
    CHECK(found.smooth);
    CHECK(found.slopes[0] == Approx(std::cos(1.0)).epsilon(1e-9));
    CHECK(found.slopes[1] == Approx(1).epsilon(1e-6));
    CHECK(found.slopes[2] == 0);
    const auto bent = [](double x) { return std::vector{std::fabs(x)}; };
    CHECK_FALSE(master::core::checked_slopes(bent, 1.0).smooth);
    const auto steep = [](double x) { return std::vector{std::sqrt(x)}; };
    CHECK_FALSE(master::core::checked_slopes(steep, 1.0).smooth);
}
