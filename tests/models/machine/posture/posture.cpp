#include "models/machine/posture/posture.hpp"

#include "models/machine/kinematics/attachment.hpp"
#include "tests/support/shipped_machine.hpp"

#include <catch2/catch.hpp>
#include <cmath>

namespace {

using namespace models::kinematics;
using models::posture::Posture;

Posture demolition_excavator() { return Posture(tests::shipped_machine("demolition_excavator")); }

std::size_t axis_named(const Posture& machine, const std::string& name) {
    for (std::size_t i = 0; i < machine.axes().size(); ++i)
        if (machine.axes()[i].name() == name) return i;
    throw std::invalid_argument(name);
}

}  // namespace

TEST_CASE("the inclinometers sit on boom, adjustable boom, arm and coupler and add up the joints and the pitch") {
    Posture machine = demolition_excavator();
    std::vector<std::string> names;
    for (const auto& sensor : machine.inclinometers()) names.push_back(machine.axes()[sensor.axis].name());
    REQUIRE(names == std::vector<std::string>{"boom", "adjust", "arm", "coupler"});

    machine.inputs.pitch = 0.07;
    const std::size_t slew = axis_named(machine, "slew");
    machine.inputs.position[slew] = machine.axes()[slew].position(0);
    machine.evaluate(0);
    double sum = 0.07;
    for (const std::string& name : names) {
        const std::size_t axis = axis_named(machine, name);
        sum += machine.outputs.joint[axis];
        CHECK(std::abs(std::remainder(machine.outputs.inclination[axis] - sum, 2 * std::acos(-1.0))) < 1e-12);
    }
}

TEST_CASE("the velocity of the tool is the derivative of its place") {
    constexpr double h = 1e-6;
    Posture machine = demolition_excavator(), later = machine;
    const double speeds[] = {0.2, 0.05, -0.04, 0.03, 0.06, -0.05, 0.4, 0.02};
    for (std::size_t i = 0; i < machine.axes().size(); ++i) {
        machine.inputs.velocity[i] = speeds[i];
        machine.inputs.position[i] -= h * speeds[i];
        later.inputs.position[i] += h * speeds[i];
    }
    machine.evaluate(0);
    later.evaluate(0);
    for (std::size_t k = 0; k < 3; ++k) {
        const double difference = (later.outputs.tool_pose[k] - machine.outputs.tool_pose[k]) / (2 * h);
        // Velocities are taken h before the middle of the difference, where they change by less than 1 m/s2.
        CHECK(std::abs(difference - machine.outputs.tool_velocity[k]) < 2e-6);
    }
}

TEST_CASE("the tool stands beside the travelled place of the ring") {
    Posture machine = demolition_excavator();
    machine.evaluate(0);
    const auto before = machine.outputs.tool_pose;
    machine.inputs.position[axis_named(machine, "travel")] = 30 * 0.25;
    machine.evaluate(0);
    const auto after = machine.outputs.tool_pose;
    CHECK(std::hypot(after[0], after[1]) == Approx(std::hypot(before[0], before[1])));
    CHECK(std::atan2(after[1], after[0]) - std::atan2(before[1], before[0]) == Approx(0.25));
    CHECK(after[2] == Approx(before[2]));
}

TEST_CASE("an axis on its end stop is outside its reach, one that left its linkage is an error") {
    Posture machine = demolition_excavator();
    const std::size_t boom = axis_named(machine, "boom");
    machine.evaluate(0);
    CHECK(machine.outputs.inside);
    machine.inputs.position[boom] = 0.503;
    machine.evaluate(0);
    CHECK_FALSE(machine.outputs.inside);
    machine.inputs.position[boom] = 0.6;
    CHECK_THROWS_WITH(machine.evaluate(0), Catch::Contains("axis 'boom'") && Catch::Contains("0 .. 0.5"));
    machine.inputs.position[boom] = std::nan("");
    CHECK_THROWS_AS(machine.evaluate(0), RangeError);
}

TEST_CASE("the machine in the middle of its strokes is clear of itself") {
    Posture machine = demolition_excavator();
    machine.initialize(0);
    machine.evaluate(0);
    CHECK_FALSE(machine.outputs.collides);
}

TEST_CASE("a tool lowered onto an untouched wall is a collision with the wall, except for its shells") {
    Posture machine = demolition_excavator();
    models::kinematics::Machine described = tests::shipped_machine("demolition_excavator");
    const models::kinematics::Attachment attachment(described);
    const auto place = [&](double bottom, double outward) {
        constexpr double azimuth = 3.2 / 30;
        Eigen::Isometry3d target(Eigen::AngleAxisd(azimuth, Eigen::Vector3d::UnitZ()));
        target = target * Eigen::Translation3d(30 + outward, 0, bottom + described.tool_box.z() / 2) *
                 Eigen::AngleAxisd(std::acos(-1.0) / 2, Eigen::Vector3d::UnitZ());
        std::vector<double> joints(described.joints.size(), 0.0);
        REQUIRE(attachment.solve({}, target, joints));
        for (std::size_t i = 0; i < machine.axes().size(); ++i) {
            const auto& axis = machine.axes()[i];
            machine.inputs.position[i] =
                axis.name() == "jaw" ? axis.stroke().lower : axis.position(joints[axis.joint_index()]);
        }
        machine.evaluate(0);
    };
    const auto link_of = [&](std::int32_t index) { return described.links.at(static_cast<std::size_t>(index)).name; };
    machine.initialize(0);
    std::fill(machine.inputs.heights.begin(), machine.inputs.heights.end(), 3.0);

    place(2.3, 0);
    CHECK_FALSE(machine.outputs.collides);
    // A bite as deep as the chamber is high: the open jaws stand astride the wall, whose top is at 2 m.
    place(2 - described.tool_box.z(), 0);
    CHECK_FALSE(machine.outputs.collides);
    // Deeper, the body, which is 0.61 m above the tips, meets the top.
    place(1.3, 0);
    REQUIRE(machine.outputs.collides);
    CHECK(link_of(machine.outputs.pair[0]) == "pulverizer");
    CHECK(machine.outputs.pair[1] == models::collision::wall);
    CHECK(machine.outputs.depth == Approx(0.09).margin(1e-6));
    // Too far inside, the fixed shell stands on the wall.
    place(1.7, -0.3);
    CHECK_FALSE(machine.outputs.collides);

    // A machine whose shells may touch the wall only while the jaw closes.
    const auto jaw = static_cast<std::uint32_t>(axis_named(machine, "jaw"));
    for (auto& touch : described.wall_touches) touch.axis = jaw;
    machine = Posture(described);
    machine.initialize(0);
    std::fill(machine.inputs.heights.begin(), machine.inputs.heights.end(), 3.0);
    place(1.7, -0.3);
    REQUIRE(machine.outputs.collides);
    CHECK(link_of(machine.outputs.pair[0]) == "shell");
    machine.inputs.velocity[jaw] = 0.05;
    machine.evaluate(0);
    CHECK_FALSE(machine.outputs.collides);
}

TEST_CASE("a ring that is none is refused by name") {
    Posture machine = demolition_excavator();
    machine.ring.thickness = -1;
    CHECK_THROWS_WITH(machine.initialize(0), Catch::Contains("ring.thickness"));
    machine.ring.columns = 1;
    CHECK_THROWS_WITH(machine.configure(), Catch::Contains("n_phi = 1"));
}
