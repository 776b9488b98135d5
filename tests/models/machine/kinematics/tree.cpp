#include "models/machine/kinematics/tree.hpp"

#include "models/machine/kinematics/linkage.hpp"
#include "tests/models/machine/kinematics/three_axis_excavator.hpp"

#include <catch2/catch.hpp>
#include <numbers>

namespace {

using namespace models::kinematics;

constexpr double rounding = 1e-12;

}  // namespace

TEST_CASE("children follow their parents: the bucket pin of the worked example") {
    const Machine machine = tests::three_axis_excavator();
    const Tree tree(machine);
    std::vector<Eigen::Isometry3d> poses(tree.link_count());
    const double boom = 0.3, arm = -1.1;
    tree.place({}, std::vector{boom, arm - boom, 1.5}, poses);
    const Eigen::Vector3d bucket_pin = poses[3].translation();
    CHECK(std::abs(bucket_pin.x() - (3.845 * std::cos(boom) + 1.996 * std::cos(arm))) < rounding);
    CHECK(std::abs(bucket_pin.y()) < rounding);
    CHECK(std::abs(bucket_pin.z() - (3.845 * std::sin(boom) + 1.996 * std::sin(arm))) < rounding);
    CHECK(tree.tool_link() == 3);
}

TEST_CASE("pitch raises the front and roll the left side, about the origin of the tilted link") {
    Machine machine = tests::three_axis_excavator();
    Joint mount{.name = "mount"};
    mount.origin.translation() = Eigen::Vector3d(30, 0, 0);
    machine.links.push_back({.name = "frame"});
    machine.joints.push_back(mount);
    machine.tilted = 4;
    const Tree tree(machine);
    std::vector<Eigen::Isometry3d> poses(tree.link_count());
    const Base base{.pitch = 0.1, .roll = 0.2};
    tree.place(base, std::vector<double>(4, 0.0), poses);
    CHECK((poses[4].translation() - Eigen::Vector3d(30, 0, 0)).norm() < rounding);
    CHECK((poses[0].translation()).norm() < rounding);
    CHECK(std::abs((poses[4].linear() * Eigen::Vector3d::UnitX()).z() - std::sin(0.1)) < rounding);
    CHECK((poses[4].linear() * Eigen::Vector3d::UnitY()).z() > 0.19);
}

TEST_CASE("a tilted root turns the whole machine") {
    const Machine machine = tests::three_axis_excavator();
    const Tree tree(machine);
    std::vector<Eigen::Isometry3d> level(tree.link_count()), tilted(tree.link_count());
    const std::vector joints{0.3, -1.2, 1.5};
    tree.place({}, joints, level);
    tree.place({.pitch = 0.1, .roll = -0.05}, joints, tilted);
    for (std::size_t i = 0; i < level.size(); ++i)
        CHECK((tilted[i].matrix() - (tilt(0.1, -0.05) * level[i]).matrix()).norm() < rounding);
}

TEST_CASE("the values of a pose have a quaternion with a non-negative real part") {
    Eigen::Isometry3d pose(Eigen::AngleAxisd(1.5 * std::numbers::pi, Eigen::Vector3d::UnitZ()));
    pose.pretranslate(Eigen::Vector3d(1, 2, 3));
    const auto values = values_of(pose);
    CHECK(values[0] == 1);
    CHECK(values[2] == 3);
    CHECK(values[5] == Approx(-std::sqrt(0.5)));
    CHECK(values[6] == Approx(std::sqrt(0.5)));
}
