#include "models/machine/kinematics/inverse.hpp"

#include "models/machine/kinematics/attachment.hpp"
#include "tests/support/shipped_machine.hpp"

#include <catch2/catch.hpp>
#include <random>

namespace {

using namespace models::kinematics;

std::size_t joint_named(const Machine& machine, const std::string& name) {
    for (std::size_t i = 0; i < machine.joints.size(); ++i)
        if (machine.joints[i].name == name) return i;
    throw std::invalid_argument(name);
}

Eigen::Isometry3d tool_at(const Machine& machine, const Base& base, const std::vector<double>& joints) {
    const Tree tree(machine);
    std::vector<Eigen::Isometry3d> poses(tree.link_count());
    tree.place(base, joints, poses);
    return tree.tool(poses);
}

double distance(const Eigen::Isometry3d& a, const Eigen::Isometry3d& b) { return (a.matrix() - b.matrix()).norm(); }

/// The tool straight down, its chamber along the rim, `ahead` of a machine at azimuth 0; `bottom` of the chamber above
/// the rim.
Eigen::Isometry3d on_the_wall(const Machine& machine, double ahead, double bottom) {
    constexpr double radius = 30;
    const double azimuth = ahead / radius;
    Eigen::Isometry3d pose(Eigen::AngleAxisd(azimuth, Eigen::Vector3d::UnitZ()));
    pose = pose * Eigen::Translation3d(radius, 0, bottom + machine.tool_box.z() / 2);
    return pose * Eigen::AngleAxisd(std::acos(-1.0) / 2, Eigen::Vector3d::UnitZ());
}

constexpr double rounding = 1e-9;  // acos close to the ends of the arm loses half the digits

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
            CHECK(distance(tool_at(machine, {}, joints), target) < rounding);
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
            CHECK(std::abs(solution->lean) < rounding);
            CHECK(distance(tool_at(machine, base, found), target) < rounding);
            for (std::size_t k = 0; k < joints.size(); ++k) CHECK(std::abs(found[k] - joints[k]) < rounding);
        }
    }
}

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

TEST_CASE("a tool pose out of reach is said to be so") {
    const Machine machine = tests::shipped_machine("demolition_excavator");
    const Attachment attachment(machine);
    const InverseKinematics inverse(machine, {"slew", "boom", "adjust", "arm", "coupler", "rotate"});
    std::vector<double> joints(machine.joints.size(), 0.0);
    CHECK_FALSE(attachment.solve({}, on_the_wall(machine, 9, 1), joints));
    const auto near = attachment.solve({}, on_the_wall(machine, 1.2, 1.0), joints);
    CHECK((!near || !near->inside()));
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
