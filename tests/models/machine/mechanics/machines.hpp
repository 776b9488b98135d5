#pragma once

#include "models/machine/kinematics/machine.hpp"
#include "tests/models/machine/kinematics/three_axis_excavator.hpp"

#include <numbers>

namespace tests {

/// The excavator with the masses of the reference data, which are those of config/machines/excavator.urdf, and a
/// payload in the bucket.
inline models::kinematics::Machine loaded_excavator(double payload = 0) {
    using models::kinematics::Inertia;
    const auto flat = [](double mass, Eigen::Vector3d centre, double moment) {
        return Inertia{.mass = mass, .centre = std::move(centre), .about_centre = moment * Eigen::Matrix3d::Identity()};
    };
    const double direction = -95 * std::numbers::pi / 180;
    const Eigen::Vector3d along{std::cos(direction), 0, std::sin(direction)};
    models::kinematics::Machine machine = three_axis_excavator();
    machine.links[1].inertia = flat(900, {1.75, 0, 0.45}, 1150);
    machine.links[2].inertia = flat(450, {0.60, 0, 0.12}, 180);
    machine.links[3].inertia = flat(350, 0.45 * along, 60);
    machine.tool = 3;
    machine.tool_point.translation() = 0.5 * along;
    if (payload > 0) {
        machine.links.push_back({.name = "payload", .inertia = flat(payload, {0, 0, 0}, 0)});
        machine.joints.push_back({.name = "payload", .parent = 3, .origin = machine.tool_point});
    }
    return machine;
}

/// A branching machine with every kind of joint, far from the root, none of its axes parallel to a frame's.
inline models::kinematics::Machine odd_machine() {
    using namespace models::kinematics;
    Machine machine;
    machine.name = "odd";
    const auto add = [&](std::uint32_t parent, JointKind kind, Eigen::Vector3d at, Eigen::Vector3d turn,
                         Eigen::Vector3d axis, double mass) {
        Joint joint{.name = "joint" + std::to_string(machine.joints.size()), .kind = kind, .parent = parent};
        joint.origin.translation() = at;
        joint.origin.linear() = Eigen::AngleAxisd(turn.norm(), turn.normalized()).toRotationMatrix();
        joint.axis = axis.normalized();
        machine.joints.push_back(joint);
        Link link{.name = "link" + std::to_string(machine.links.size())};
        link.inertia.mass = mass;
        link.inertia.centre = {0.4, -0.1, 0.2};
        Eigen::Matrix3d spread;
        spread << 1, 0.1, -0.05, 0.1, 0.8, 0.2, -0.05, 0.2, 0.6;
        link.inertia.about_centre = 0.1 * mass * spread;
        machine.links.push_back(link);
    };
    machine.links.push_back({.name = "ring"});
    add(0, JointKind::revolute, {0, 0, 0}, {0, 0, 0.1}, {0, 0, 1}, 2000);
    add(1, JointKind::fixed, {30, 0.3, 1}, {0.2, 0.1, 1}, {0, 0, 1}, 500);
    add(2, JointKind::revolute, {0.3, 0.2, 1}, {0.1, -0.4, 0.2}, {1, 2, -1}, 800);
    add(3, JointKind::prismatic, {1.5, 0, 0.2}, {0, 0.3, 0}, {1, 0.2, 0.3}, 300);
    add(4, JointKind::revolute, {0.8, 0, -0.1}, {0.5, 0, 0.2}, {0, -1, 0.1}, 120);
    add(3, JointKind::revolute, {0.5, -0.6, 0}, {0, 0.2, 0.9}, {0.3, 1, 0}, 60);
    machine.tool = 5;
    machine.tool_point.translation() = Eigen::Vector3d(0.4, 0.1, -0.3);
    machine.tilted = 1;
    return machine;
}

}  // namespace tests
