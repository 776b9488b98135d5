#include "models/machine/collision/scene.hpp"

#include "models/machine/kinematics/linkage.hpp"
#include "models/machine/kinematics/tree.hpp"
#include "tests/models/machine/collision/pose_at.hpp"
#include "tests/support/shipped_machine.hpp"

#include <catch2/catch.hpp>

using Eigen::Isometry3d;
using Eigen::Vector3d;
using models::collision::Contact;
using models::collision::RingWall;
using models::collision::Scene;
using tests::at;
using namespace models::kinematics;

namespace {

/// A post, an arm that slides towards it, and a foot that both stand on.
Machine slider() {
    Machine machine;
    machine.name = "slider";
    machine.links = {
        {.name = "foot", .bodies = {{.shape = Box{.size = {4, 4, 0.1}}}}},
        {.name = "post", .bodies = {{.pose = at(0, 0, 1), .shape = Box{.size = {0.4, 0.4, 2}}}}},
        {.name = "arm", .bodies = {{.pose = at(0, 0, 1), .shape = Capsule{.radius = 0.1, .length = 0.5}}}}};
    machine.joints = {{.name = "post", .parent = 0},
                      {.name = "arm", .kind = JointKind::prismatic, .parent = 0, .axis = Vector3d::UnitX()}};
    return machine;
}

std::vector<Isometry3d> placed(const Machine& machine, std::vector<double> joints) {
    std::vector<Isometry3d> poses(machine.links.size());
    Tree(machine).place({}, joints, poses);
    return poses;
}

struct Wall {
    std::vector<double> heights = std::vector<double>(601 * 5, 3.0);
    RingWall ring{.inner_radius = 29.91,
                  .outer_radius = 30.09,
                  .first_azimuth = 2.5 / 30,
                  .azimuth_step = 0.02 / 30,
                  .base = -1,
                  .columns = 601,
                  .rows = 5,
                  .heights = heights};
};

/// A ball that is a short capsule, `ahead` metres along the rim from azimuth 0.
Machine ball(double radius) {
    Machine machine;
    machine.name = "ball";
    machine.links = {{.name = "ball", .bodies = {{.shape = Capsule{.radius = radius, .length = 1e-3}}}}};
    return machine;
}
std::vector<Isometry3d> on_rim(double ahead, double radius, double z) {
    return {at(radius * std::cos(ahead / 30), radius * std::sin(ahead / 30), z)};
}

}  // namespace

TEST_CASE("a motion through an obstacle raises the flag with the right pair and depth") {
    const Machine machine = slider();
    const Scene scene(machine);
    int hits = 0;
    for (int i = 0; i <= 100; ++i) {
        const double x = -1 + 0.02 * i;
        const auto contact = scene.deepest(placed(machine, {0, x}));
        const double gap = std::abs(x) - 0.2 - 0.1;
        if (std::abs(gap) < 1e-6) continue;
        REQUIRE(contact.has_value() == (gap < 0));
        if (!contact) continue;
        ++hits;
        CHECK(contact->first == 1);
        CHECK(contact->second == 2);
        CHECK(contact->depth == Approx(-gap).margin(1e-6));
    }
    CHECK(hits > 20);
}

TEST_CASE("joined links and excepted pairs do not count") {
    Machine machine = slider();
    Scene scene(machine);
    // The arm in the foot: they are joined.
    machine.links[2].bodies[0].pose = at(0, 0, 0);
    CHECK_FALSE(Scene(machine).deepest(placed(machine, {0, 1})));
    scene.ignore("arm", "post");
    CHECK_FALSE(scene.deepest(placed(slider(), {0, 0.2})));
    CHECK_THROWS_WITH(scene.ignore("arm", "pots"), Catch::Contains("pots") && Catch::Contains("post"));
}

TEST_CASE("a ball meets the wall at its top, its faces and its end") {
    const Wall wall;
    const Scene scene(ball(0.1));
    const auto depth = [&](double ahead, double radius, double z) {
        const auto contact = scene.deepest(on_rim(ahead, radius, z), wall.ring);
        if (contact) CHECK(contact->second == models::collision::wall);
        return contact ? contact->depth : 0.0;
    };
    // Boxes are chords of the ring: up to 4 mm too thick inside, and exact elsewhere.
    CHECK(depth(8, 30, 2.05) == Approx(0.05).margin(1e-3));
    CHECK(depth(8, 30, 2.15) == 0);
    CHECK(depth(8, 30.15, 1) == Approx(0.04).margin(1e-3));
    CHECK(depth(8, 29.85, 1) == Approx(0.04).margin(5e-3));
    CHECK(depth(8, 30.3, 1) == 0);
    CHECK(depth(8, 29.7, 1) == 0);
    CHECK(depth(2.43, 30, 1) == Approx(0.03).margin(2e-3));
    CHECK(depth(2.3, 30, 1) == 0);
    CHECK(depth(14.65, 30, 1) == 0);
    CHECK(depth(-90, 30, 1) == 0);
    // In the middle the way out is across the wall, not along it from one thin cell to the next.
    CHECK(depth(8, 30, 1) == Approx(0.09 + 0.1).margin(5e-3));
}

TEST_CASE("what was taken off the wall is no longer in the way") {
    Wall wall;
    for (std::size_t column = 100; column < 200; ++column)  // 4.5 m to 6.5 m ahead
        for (std::size_t row = 0; row < 5; ++row) wall.heights[column * 5 + row] = 1;
    const Scene scene(ball(0.1));
    CHECK_FALSE(scene.deepest(on_rim(5.5, 30, 1), wall.ring));
    CHECK(scene.deepest(on_rim(5.5, 30, 0.05), wall.ring)->depth == Approx(0.05).margin(1e-3));
    CHECK(scene.deepest(on_rim(8, 30, 1), wall.ring));
    // Beside the step the way out is along the rim.
    const auto contact = scene.deepest(on_rim(4.49, 30, 1), wall.ring);
    REQUIRE(contact);
    CHECK(contact->depth < 0.19);
}

TEST_CASE("the demolition excavator is clear in its middle pose and hits the wall it drives into") {
    const Machine machine = tests::shipped_machine("demolition_excavator");
    Scene scene(machine);
    scene.ignore_wall("runners");
    std::vector<double> joints(machine.joints.size());
    for (const Linkage& linkage : linkages(machine)) {
        const Limits& stroke = linkage.stroke();
        joints[linkage.joint_index()] = linkage.joint((stroke.lower + stroke.upper) / 2);
    }
    const auto poses_at = [&](double travel) {
        joints[0] = travel / 30;
        return placed(machine, joints);
    };
    CHECK_FALSE(scene.deepest(poses_at(0)));
    const Wall wall;
    const auto contact = scene.deepest(poses_at(4), wall.ring);
    REQUIRE(contact);
    CHECK(contact->second == models::collision::wall);
    CHECK(contact->depth > 0.05);
}
