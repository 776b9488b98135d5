#include "models/examples/tank/tank.hpp"

#include <catch2/catch.hpp>
#include <cmath>

TEST_CASE("the tank fills linearly and empties exponentially") {
    models::Tank tank;
    tank.initialize(0);
    tank.step(0, 2);
    CHECK(tank.state.V == 2);
    tank.inputs.valve = true;
    tank.step(2, 2.360972520);  // from level 2 to level 1, printed to nine digits
    CHECK(std::abs(tank.state.V - 1) < 1e-9);
}
