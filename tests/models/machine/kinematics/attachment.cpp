#include "models/machine/kinematics/attachment.hpp"

#include "tests/models/machine/kinematics/tool_poses.hpp"
#include "tests/support/shipped_machine.hpp"

#include <catch2/catch.hpp>
#include <random>

namespace {

using namespace models::kinematics;
using namespace tests;

std::size_t joint_named(const Machine& machine, const std::string& name) {
    for (std::size_t i = 0; i < machine.joints.size(); ++i)
        if (machine.joints[i].name == name) return i;
    throw std::invalid_argument(name);
}

constexpr double acos_rounding = 1e-9;  // close to the ends of the arm loses half the digits

}  // namespace

TEST_CASE("the demolition excavator can work on the wall from 2.5 m to 4.5 m ahead, from the rim to above the wall") {
    const Machine machine = tests::shipped_machine("demolition_excavator");
    const Attachment attachment(machine);
    const Tree tree(machine);
    std::vector<Eigen::Isometry3d> poses(tree.link_count());
    std::vector<double> joints(machine.joints.size(), 0.0);
    double smallest = 1;
    for (double ahead = 2.5; ahead < 4.51; ahead += 0.1) {
        for (double bottom = 0; bottom < 2.31; bottom += 0.1) {
            INFO("ahead " << ahead << ", bottom " << bottom);
            const Eigen::Isometry3d target = on_the_wall(machine, ahead, bottom);
            const auto found = attachment.solve({}, target, joints);
            REQUIRE(found);
            CHECK(found->inside());
            smallest = std::min(smallest, found->margin);
            CHECK(distance(tool_at(machine, {}, joints), target) < acos_rounding);
            // Above the untouched wall, 2 m high from 2.5 m on, booms and arm keep clear of it.
            if (bottom < 1.95) continue;
            tree.place({}, joints, poses);
            for (const char* pin : {"adjust", "arm", "coupler", "rotate"}) {
                const Eigen::Vector3d place = poses[joint_named(machine, pin) + 1].translation();
                if (place.y() > 2.2) CHECK(place.z() > 2.4);
            }
        }
    }
    // In parts of a joint's range: no pose of the task is closer than this to an end stop.
    CHECK(smallest > 0.04);
}

TEST_CASE("the closed form gives back the tool pose of random joints of both machines") {
    std::mt19937 random(7);
    for (const char* name : {"demolition_excavator", "excavator"}) {
        const Machine machine = tests::shipped_machine(name);
        const Attachment attachment(machine);
        const std::vector<Linkage> axes = linkages(machine);
        for (int i = 0; i < 300; ++i) {
            std::vector<double> joints(machine.joints.size(), 0.0);
            for (const Linkage& axis : axes) {
                const Limits& limits = axis.joint_limits();
                joints[axis.joint_index()] = std::uniform_real_distribution(limits.lower, limits.upper)(random);
            }
            const Base base{.pitch = 0.05, .roll = -0.03};
            const Eigen::Isometry3d target = tool_at(machine, base, joints);
            std::vector<double> found = joints;
            for (const Linkage& axis : axes)
                if (axis.name() != "travel" && axis.name() != "jaw") found[axis.joint_index()] = 0;
            const double adjust = machine.axes.size() > 3 ? joints[joint_named(machine, "adjust")] : 0;
            const auto solution = attachment.solve(base, target, adjust, found);
            REQUIRE(solution);
            CHECK(solution->inside());
            CHECK(std::abs(solution->lean) < acos_rounding);
            CHECK(distance(tool_at(machine, base, found), target) < acos_rounding);
            for (std::size_t k = 0; k < joints.size(); ++k) CHECK(std::abs(found[k] - joints[k]) < acos_rounding);
        }
    }
}

TEST_CASE("a tool pose out of reach is said to be so") {
    const Machine machine = tests::shipped_machine("demolition_excavator");
    const Attachment attachment(machine);
    std::vector<double> joints(machine.joints.size(), 0.0);
    CHECK_FALSE(attachment.solve({}, on_the_wall(machine, 9, 1), joints));
    const auto near = attachment.solve({}, on_the_wall(machine, 1.2, 1.0), joints);
    CHECK((!near || !near->inside()));
}

TEST_CASE("the LiDAR looks at the inner face of the wall from 3 m inside and 5 m away") {
    const Machine machine = tests::shipped_machine("demolition_excavator");
    const Tree tree(machine);
    std::vector<Eigen::Isometry3d> poses(tree.link_count());
    tree.place({}, std::vector<double>(machine.joints.size(), 0.0), poses);
    const Eigen::Isometry3d& lidar = poses[joint_named(machine, "lidar") + 1];
    CHECK(lidar.translation().x() == Approx(27));
    const Eigen::Vector3d met = lidar * Eigen::Vector3d(5, 0, 0);
    constexpr double inner_face = 30 - 0.18 / 2;
    CHECK(met.head<2>().norm() == Approx(inner_face).margin(1e-3));
    CHECK(30 * std::atan2(met.y(), met.x()) == Approx(4.5).margin(0.1));
}
