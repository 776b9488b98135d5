#include "models/machine/inverse_kinematics/inverse_kinematics.hpp"

#include "tests/models/machine/kinematics/tool_poses.hpp"
#include "tests/support/shipped_machine.hpp"

#include <catch2/catch.hpp>
#include <random>

using namespace models::kinematics;
using namespace tests;
using models::InverseKinematics;

TEST_CASE("the numeric inverse kinematics finds random tool poses of the demolition excavator") {
    const Machine machine = tests::shipped_machine("demolition_excavator");
    const InverseKinematics inverse(machine, {"slew", "boom", "adjust", "arm", "coupler", "rotate"});
    const std::vector<Linkage> axes = linkages(machine);
    std::mt19937 random(11);
    int reached = 0;
    constexpr int poses = 200;
    for (int i = 0; i < poses; ++i) {
        std::vector<double> joints(machine.joints.size(), 0.0), found(machine.joints.size(), 0.0);
        for (const Linkage& axis : axes) {
            if (axis.name() == "travel") continue;
            const Limits& limits = axis.joint_limits();
            joints[axis.joint_index()] = std::uniform_real_distribution(limits.lower, limits.upper)(random);
            found[axis.joint_index()] = (limits.lower + limits.upper) / 2;
        }
        const Eigen::Isometry3d target = tool_at(machine, {}, joints);
        const auto result = inverse.solve({}, target, found);
        for (const Linkage& axis : axes) CHECK(axis.joint_limits().contain(found[axis.joint_index()]));
        if (!result.reached) continue;
        ++reached;
        CHECK(distance(tool_at(machine, {}, found), target) < 1e-8);
    }
    // From the middle of all ranges; the rest are stuck at a limit and say so.
    CHECK(reached > 0.9 * poses);
}

TEST_CASE("the numeric inverse kinematics says how far a pose is out of reach") {
    const Machine machine = tests::shipped_machine("demolition_excavator");
    const InverseKinematics inverse(machine, {"slew", "boom", "adjust", "arm", "coupler", "rotate"});
    std::vector<double> joints(machine.joints.size(), 0.0);
    const auto result = inverse.solve({}, on_the_wall(machine, 9, 1), joints);
    CHECK_FALSE(result.reached);
    CHECK(result.position_error > 1);
    CHECK(std::isfinite(result.position_error));
}

TEST_CASE("axes that the inverse kinematics cannot use are named") {
    const Machine machine = tests::shipped_machine("demolition_excavator");
    CHECK_THROWS_WITH(InverseKinematics(machine, {"bom"}), Catch::Contains("no axis 'bom'"));
    CHECK_THROWS_WITH(InverseKinematics(machine, {"jaw"}), Catch::Contains("does not move the tool"));
}
