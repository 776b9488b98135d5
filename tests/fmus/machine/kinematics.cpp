#include "tests/support/fmi3_unit.hpp"

#include <catch2/catch.hpp>

using tests::Fmi3Unit;

namespace {

unsigned reference(const Fmi3Unit& unit, const std::string& name) {
    for (const auto& variable : unit.fmu().variables())
        if (variable.name == name) return variable.reference;
    throw std::invalid_argument(name);
}

}  // namespace

TEST_CASE("the kinematics unit has the axes, sensors and links of its machine, all sampled") {
    const Fmi3Unit unit("kinematics");
    for (const char* axis : {"boom", "adjust", "arm", "coupler", "slew", "jaw", "rotate", "travel"}) {
        CHECK_NOTHROW(reference(unit, std::string(axis) + ".position"));
        CHECK_NOTHROW(reference(unit, std::string(axis) + ".velocity"));
        CHECK_NOTHROW(reference(unit, std::string("joint.") + axis));
    }
    for (const char* sensor : {"inclination.boom", "inclination.adjust", "inclination.arm", "inclination.coupler",
                               "slew.length", "rotate.angle", "travel.length", "tool.pose", "tool.box", "reach.inside"})
        CHECK_NOTHROW(reference(unit, sensor));
    for (const auto& variable : unit.fmu().variables()) {
        if (variable.causality == "input" || variable.causality == "output") CHECK(variable.variability == "discrete");
        if (variable.name == "links.poses") CHECK(variable.count == 14 * 7);
    }
}

TEST_CASE("a position that an axis cannot have ends the step with the axis and its limits") {
    const Fmi3Unit unit("kinematics");
    REQUIRE(unit.initialize() == fmi3OK);
    REQUIRE(unit.set(reference(unit, "boom.position"), 0.7) == fmi3OK);
    CHECK(unit.step(0, 0.01).status == fmi3Error);
    REQUIRE_FALSE(unit.messages().empty());
    CHECK_THAT(unit.messages().back(), Catch::Contains("axis 'boom'") && Catch::Contains("0 .. 0.5"));
}

TEST_CASE("a machine's unit without its resources is not instantiated, and says why") {
    const Fmi3Unit unit("kinematics");
    std::string said;
    const auto log = [](fmi3InstanceEnvironment text, fmi3Status, fmi3String, fmi3String message) {
        *static_cast<std::string*>(text) = message;
    };
    auto* instantiate = unit.call<fmi3InstantiateCoSimulationTYPE>("fmi3InstantiateCoSimulation");
    CHECK(instantiate("nowhere", unit.fmu().token().c_str(), "/nowhere/", false, true, false, false, nullptr, 0, &said,
                      log, nullptr) == nullptr);
    CHECK_THAT(said, Catch::Contains("/nowhere/machine.urdf") && Catch::Contains("cannot be read"));
}
