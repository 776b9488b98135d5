#include "models/examples/dahlquist_coupled/dahlquist_coupled.hpp"

#include <catch2/catch.hpp>
#include <cmath>

namespace {

// A few hundred operations with numbers of order one.
constexpr double rounding = 1e-13;

}  // namespace

TEST_CASE("the coupled Dahlquist equation is exact for inputs that are straight lines") {
    models::DahlquistCoupled model;
    model.parameters = {.g = 2, .x0 = 1};
    model.initialize(0);
    model.inputs.u = 0.5;
    model.slopes.u = 3;
    model.step(0, 0.7);
    // x' = -x + 2 (0.5 + 3 t), x(0) = 1: x = 6 t - 5 + 6 e^-t
    CHECK(std::abs(model.state.x - (6 * 0.7 - 5 + 6 * std::exp(-0.7))) < rounding);
}

TEST_CASE("the coupled Dahlquist equation follows the recurrence of held inputs") {
    const double h = 0.01, gain = 10;
    models::DahlquistCoupled a, b;
    a.parameters = {.g = gain, .x0 = 1};
    b.parameters = {.g = -gain, .x0 = 0};
    a.initialize(0);
    b.initialize(0);
    for (int i = 0; i < 100; ++i) {
        a.inputs.u = b.state.x;
        b.inputs.u = a.state.x;
        a.step(i * h, h);
        b.step(i * h, h);
    }
    // Jacobi, L = 10, h = 0.01, t = 1.
    CHECK(std::abs(a.state.x - -0.504655876375) < 1e-12);
    CHECK(std::abs(b.state.x - 0.339179567917) < 1e-12);
}
