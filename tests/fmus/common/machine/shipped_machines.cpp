#include "models/machine/kinematics/linkage.hpp"
#include "tests/support/shipped_machine.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace models::kinematics;

TEST_CASE("both shipped machines go round between positions and angles over their whole strokes") {
    for (const char* name : {"excavator", "demolition_excavator"}) {
        for (const Linkage& axis : linkages(tests::shipped_machine(name))) {
            INFO(name << ": " << axis.name());
            const Limits& stroke = axis.stroke();
            for (int i = 0; i <= 1000; ++i) {
                const double position = stroke.lower + (stroke.upper - stroke.lower) * i / 1000;
                const double joint = axis.joint(position);
                // Relative to the largest value: travel counts to 94 m.
                const double tolerance = 1e-12 * std::max(1.0, stroke.upper);
                CHECK(std::abs(axis.position(joint) - position) < tolerance);
                CHECK(std::abs(axis.joint(axis.position(joint)) - joint) < 1e-12);
            }
        }
    }
}

TEST_CASE("every cylinder of the demolition excavator moves its joint strictly one way with a moment arm above 0.1 m") {
    for (const Linkage& axis : linkages(tests::shipped_machine("demolition_excavator"))) {
        INFO(axis.name());
        const Limits& stroke = axis.stroke();
        const double direction = axis.transmission(axis.joint(stroke.lower)).arm > 0 ? 1 : -1;
        double before = axis.joint(stroke.lower);
        for (int i = 1; i <= 500; ++i) {
            const double joint = axis.joint(stroke.lower + (stroke.upper - stroke.lower) * i / 500);
            CHECK(direction * (joint - before) > 0);
            CHECK(direction * axis.transmission(joint).arm > 0.1);
            before = joint;
        }
    }
}

TEST_CASE("the excavator has the pins and masses of its description") {
    const Machine machine = tests::shipped_machine("excavator");
    REQUIRE(machine.axes.size() == 3);
    const std::vector<Linkage> axes = linkages(machine);
    // A worked point of the description of the linkage: boom 40, arm -60, bucket 30 degrees.
    const double degree = std::acos(-1.0) / 180;
    CHECK(axes[0].position(40 * degree) + 0.060 == Approx(0.430294).margin(5e-7));
    CHECK(axes[1].position(-100 * degree) + 0.280 == Approx(0.820322).margin(5e-7));
    CHECK(axes[2].position(90 * degree) + 0.150 == Approx(0.469815).margin(5e-7));
    CHECK(machine.links[2].inertia.mass == 900);
    CHECK(machine.links[2].inertia.about_centre(1, 1) == 1150);
    CHECK(machine.links[3].inertia.mass == 450);
    CHECK(machine.links[4].inertia.centre.norm() == Approx(0.45));
}

TEST_CASE("the demolition excavator has the axes of its interface, weighs 10 to 12 t and tilts at its frame") {
    const Machine machine = tests::shipped_machine("demolition_excavator");
    std::vector<std::string> names;
    for (const Axis& axis : machine.axes) names.push_back(axis.name);
    CHECK(names == std::vector<std::string>{"travel", "slew", "boom", "adjust", "arm", "coupler", "rotate", "jaw"});
    double mass = 0;
    for (const Link& link : machine.links) mass += link.inertia.mass;
    CHECK(mass > 10000);
    CHECK(mass < 12000);
    CHECK(machine.links[machine.tilted].name == "frame");
    REQUIRE(machine.tool);
    CHECK(machine.links[*machine.tool].name == "pulverizer");
}
