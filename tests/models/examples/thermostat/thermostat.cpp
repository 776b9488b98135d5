#include "models/examples/thermostat/thermostat.hpp"

#include <catch2/catch.hpp>

TEST_CASE("the thermostat heats from half a band below to half a band above its set point") {
    models::Thermostat thermostat;
    const auto power_at = [&](double celsius) {
        thermostat.inputs.T_celsius = celsius;
        thermostat.step(0, 10);
        return thermostat.outputs.power_kilowatt;
    };
    CHECK(power_at(19.6) == 0);
    CHECK(power_at(19.4) == 2);
    CHECK(power_at(20.4) == 2);
    CHECK(power_at(20.5) == 0);
    CHECK(power_at(19.6) == 0);
}
