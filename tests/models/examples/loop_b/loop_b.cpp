#include "models/examples/loop_b/loop_b.hpp"

#include "models/examples/loop_a/loop_a.hpp"

#include <catch2/catch.hpp>
#include <cmath>

TEST_CASE("the nonlinear loop has its known solution and is no number where the root is negative") {
    models::LoopA a;
    models::LoopB b;
    a.inputs.c = 1.1645751311;
    a.evaluate(0);
    b.inputs = {.a = a.outputs.a, .b = a.outputs.b};
    b.evaluate(0);
    CHECK(std::abs(b.outputs.c - 1.1645751311) < 1e-10);
    b.inputs = {.a = 1.8, .b = -1.8};
    b.evaluate(0);
    CHECK(std::isnan(b.outputs.c));
}
