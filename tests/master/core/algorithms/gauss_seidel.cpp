#include "master/core/algorithms/gauss_seidel.hpp"

#include "tests/master/core/algorithms/coupled_systems.hpp"
#include "tests/master/core/small_models.hpp"

#include <catch2/catch.hpp>

using master::core::Hold;
using tests::Bench;
using tests::counter;
using tests::keeper;
using tests::Outputs;
using tests::TestModel;
using Vector = std::vector<double>;

TEST_CASE("two masses under Gauss-Seidel, displacement split: errors as published") {
    const auto check = [](Hold hold, const std::vector<double>& errors) {
        tests::check_displacement_split("gauss-seidel", {hold, Outputs::held, errors});
    };
    check(Hold::constant, {1.042e-1, 5.223e-2, 2.615e-2, 1.308e-2});
    check(Hold::compensated, {8.807e-3, 2.247e-3, 5.673e-4, 1.425e-4});
    check(Hold::linear, {1.540e-2, 3.889e-3, 9.750e-4, 2.441e-4});
}

TEST_CASE("two masses under Gauss-Seidel, force split: held outputs give the published errors") {
    tests::check_force_split("gauss-seidel", {Hold::constant, Outputs::held, {2.638e-1, 1.250e-1, 6.086e-2, 3.004e-2}});
}

TEST_CASE("coupled Dahlquist rotation: the recurrence of Gauss-Seidel to 1e-12") {
    const Vector last = tests::rotation_after_1_s("gauss-seidel");
    CHECK(last[0] == Approx(-0.317915546394).margin(1e-12));
    CHECK(last[1] == Approx(0.200679241250).margin(1e-12));
}

TEST_CASE("coupled Dahlquist rotation under Gauss-Seidel: stable just below the limit, unstable just above") {
    // 0.99 and 1.01 of the closed-form limits.
    tests::check_stability("gauss-seidel", 5, {.below = {401410, 1000000}, .above = {409519, 1000000}});
    tests::check_stability("gauss-seidel", 10, {.below = {198664, 1000000}, .above = {202677, 1000000}});
}

TEST_CASE("quarter car under Gauss-Seidel: errors at 8, 4, 2 and 1 ms as published") {
    tests::check_quarter_car("gauss-seidel",
                             {Hold::constant, Outputs::refreshed, {2.23e-3, 9.67e-4, 4.61e-4, 2.26e-4}});
}

TEST_CASE("an explicit order decides who sees whose new values") {
    const auto first_step = [](std::vector<std::string> order) {
        Bench bench({1, 10});
        bench.unit("a", counter()).unit("b", keeper()).wire("a.y", "b.u");
        bench.algorithm = "gauss-seidel";
        bench.order = std::move(order);
        Vector last;
        bench.run({1, 10}, [&](double, const Vector& y) { last = y; });
        return last[1];
    };
    CHECK(first_step({"a", "b"}) == 1);
    CHECK(first_step({"b", "a"}) == 0);
    CHECK(first_step({}) == 1);
}
