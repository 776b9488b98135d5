#include "tests/support/fmi3_unit.hpp"

#include <catch2/catch.hpp>
#include <set>

using tests::Fmi3Unit;

namespace {

std::set<std::string> names(const Fmi3Unit& unit, const std::string& causality) {
    std::set<std::string> found;
    for (const auto& variable : unit.fmu().variables())
        if (variable.causality == causality) found.insert(variable.name);
    return found;
}

const std::vector<std::string> axes{"boom", "adjust", "arm", "coupler", "slew", "jaw", "rotate", "travel"};
const std::set<std::string> sensors{"inclination.boom",
                                    "inclination.adjust",
                                    "inclination.arm",
                                    "inclination.coupler",
                                    "slew.length",
                                    "rotate.angle",
                                    "travel.length",
                                    "pitch",
                                    "roll"};

std::set<std::string> with_axes(std::set<std::string> names, const std::string& quantity) {
    for (const std::string& axis : axes) names.insert(axis + quantity);
    return names;
}

}  // namespace

TEST_CASE("the controller takes targets and sensors and gives commands, all sampled") {
    const Fmi3Unit unit("ecu");
    std::set<std::string> inputs = with_axes(sensors, ".target");
    inputs.insert({"enable", "jaw.pressure_a", "jaw.pressure_b"});
    CHECK(names(unit, "input") == inputs);
    CHECK(names(unit, "output") == with_axes({"status"}, ".command"));
    for (const auto& variable : unit.fmu().variables())
        if (variable.causality == "input" || variable.causality == "output") CHECK(variable.variability == "discrete");
}

TEST_CASE("the automation takes the edge and sensors and gives targets, all sampled") {
    const Fmi3Unit unit("automation");
    std::set<std::string> inputs = sensors;
    inputs.insert({"edge.height", "edge.valid", "edge.sequence", "status", "start"});
    CHECK(names(unit, "input") == inputs);
    CHECK(names(unit, "output") == with_axes({"enable", "phase", "bite", "progress"}, ".target"));
    for (const auto& variable : unit.fmu().variables()) {
        if (variable.causality == "input" || variable.causality == "output") CHECK(variable.variability == "discrete");
        if (variable.name == "edge.height" || variable.name == "edge.valid") CHECK(variable.count == 300);
    }
}

TEST_CASE("an automation that is never shown an edge stops, says why and ends the simulation") {
    const Fmi3Unit unit("automation");
    REQUIRE(unit.initialize() == fmi3OK);
    const unsigned start = unit.fmu()["start"].reference;
    const bool yes = true;
    REQUIRE(unit.call<fmi3SetBooleanTYPE>("fmi3SetBoolean")(unit.instance(), &start, 1, &yes, 1) == fmi3OK);
    int cycles = 0;
    bool ended = false;
    for (; cycles < 100 && !ended; ++cycles) {
        const auto result = unit.step(0.1 * cycles, 0.1);
        REQUIRE(result.status <= fmi3Warning);
        ended = result.terminate;
    }
    CHECK(ended);
    // The window of the LiDAR (1.1 s) and two cycles; then a second until the simulation ends.
    CHECK(cycles == Approx(24).margin(1));
    REQUIRE_FALSE(unit.messages().empty());
    CHECK_THAT(unit.messages().back(), Catch::Contains("no azimuth of the edge is valid"));
}
