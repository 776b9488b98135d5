#include "models/examples/tank_controller/tank_controller.hpp"

#include <catch2/catch.hpp>

TEST_CASE("the tank's valve opens at the upper level and closes at the lower one") {
    models::TankController controller;
    const auto valve_at = [&](double level) {
        controller.inputs.level = level;
        controller.step(0, 0.1);
        return controller.outputs.valve;
    };
    CHECK_FALSE(valve_at(1.9));
    CHECK(valve_at(2));
    CHECK(valve_at(1.5));
    CHECK_FALSE(valve_at(1));
    CHECK_FALSE(valve_at(1.9));
}
