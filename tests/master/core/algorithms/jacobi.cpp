#include "master/core/algorithms/jacobi.hpp"

#include "tests/master/core/algorithms/coupled_systems.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using master::core::Hold;
using tests::Bench;
using tests::Outputs;
using tests::TestModel;
using Vector = std::vector<double>;

TEST_CASE("two masses under Jacobi, displacement split: errors as published") {
    tests::check_displacement_split("jacobi",
                                    {Hold::constant, Outputs::held, {4.040e-1, 1.986e-1, 9.885e-2, 4.937e-2}});
    tests::check_displacement_split("jacobi",
                                    {Hold::compensated, Outputs::held, {2.667e-2, 6.639e-3, 1.659e-3, 4.147e-4}});
    tests::check_displacement_split("jacobi", {Hold::linear, Outputs::held, {3.340e-2, 8.303e-3, 2.074e-3, 5.183e-4}});
}

TEST_CASE("two masses under Jacobi, force split: held and refreshed outputs give the published errors") {
    tests::check_force_split("jacobi", {Hold::constant, Outputs::refreshed, {4.908e-1, 2.191e-1, 1.038e-1, 5.060e-2}});
    tests::check_force_split("jacobi", {Hold::constant, Outputs::held, {8.838e-1, 3.663e-1, 1.648e-1, 7.810e-2}});
    tests::check_force_split("jacobi", {Hold::compensated, Outputs::held, {2.399e-1, 1.064e-1, 5.092e-2, 2.502e-2}});
    tests::check_force_split("jacobi", {Hold::linear, Outputs::held, {8.014e-2, 1.966e-2, 4.897e-3, 1.223e-3}});
}

TEST_CASE("coupled Dahlquist rotation: the recurrence of Jacobi to 1e-12") {
    const Vector last = tests::rotation_after_1_s("jacobi");
    CHECK(last[0] == Approx(-0.504655876375).margin(1e-12));
    CHECK(last[1] == Approx(0.339179567917).margin(1e-12));
}

TEST_CASE("coupled Dahlquist rotation under Jacobi: stable just below the limit, unstable just above") {
    // 0.99 and 1.01 of the closed-form limits.
    tests::check_stability("jacobi", 5, {.below = {79243, 1000000}, .above = {80843, 1000000}});
    tests::check_stability("jacobi", 10, {.below = {19801, 1000000}, .above = {20201, 1000000}});
}

TEST_CASE("quarter car: the reference values are met by a small step") {
    Bench bench = tests::quarter_car({1, 8000}, Outputs::refreshed);
    bench.hold = Hold::compensated;
    double chassis = 0, wheel = 0;
    bench.run({1, 2}, [&](double, const Vector& y) {
        chassis = y[1];
        wheel = y[3];
    });
    CHECK(chassis == Approx(0.161468588002).margin(3e-7));
    CHECK(wheel == Approx(0.105327423320).margin(3e-7));
}

TEST_CASE("quarter car under Jacobi: errors at 8, 4, 2 and 1 ms as published") {
    tests::check_quarter_car("jacobi", {Hold::constant, Outputs::refreshed, {5.66e-3, 2.76e-3, 1.37e-3, 6.78e-4}});
    tests::check_quarter_car("jacobi", {Hold::compensated, Outputs::refreshed, {5.73e-4, 1.43e-4, 3.56e-5, 8.89e-6}});
    tests::check_quarter_car("jacobi", {Hold::constant, Outputs::held, {6.03e-3, 2.95e-3, 1.46e-3, 7.27e-4}});
    tests::check_quarter_car("jacobi", {Hold::compensated, Outputs::held, {1.06e-3, 5.34e-4, 2.69e-4, 1.35e-4}});
    tests::check_quarter_car("jacobi", {Hold::linear, Outputs::held, {5.37e-4, 1.34e-4, 3.34e-5, 8.34e-6}});
}

TEST_CASE("serial and parallel steps give the same bits") {
    const auto trace = [](unsigned threads) {
        Bench bench({1, 1000});
        for (int i = 0; i < 12; ++i) {
            TestModel model{.inputs = {"u"},
                            .outputs = {"y"},
                            .x = {0.1 * i, 0},
                            .u = {0},
                            .derivative =
                                [i](double, const Vector& x, const Vector& u) {
                                    return Vector{x[1], -std::sin(x[0]) * (1 + i) + u[0]};
                                },
                            .output = [](const Vector& x, const Vector&) { return Vector{x[0]}; }};
            bench.unit("u" + std::to_string(i), model);
        }
        for (int i = 0; i < 12; ++i) {
            bench.wire("u" + std::to_string(i) + ".y", "u" + std::to_string((i + 5) % 12) + ".u");
        }
        bench.hold = Hold::compensated;
        bench.threads = threads;
        Vector all;
        bench.run({1, 1}, [&](double, const Vector& y) { all.insert(all.end(), y.begin(), y.end()); });
        return all;
    };
    const Vector serial = trace(1);
    CHECK(serial == trace(2));
    CHECK(serial == trace(3));
}
