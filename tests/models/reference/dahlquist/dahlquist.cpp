#include "models/reference/dahlquist/dahlquist.hpp"

#include <catch2/catch.hpp>
#include <cmath>

namespace {

// A few hundred operations with numbers of order one.
constexpr double rounding = 1e-13;

}  // namespace

TEST_CASE("Dahlquist's equation decays exactly, whatever the step") {
    models::Dahlquist model;
    model.parameters.k = 3;
    for (const double h : {0.1, 0.25, 0.65}) model.step(0, h);
    CHECK(std::abs(model.state.x - std::exp(-3.0)) < rounding);
}
