#include "fmus/common/machine/machine.hpp"

#include "interfaces/machine_file/machine_file.hpp"
#include "models/machine/kinematics/linkage.hpp"

#include <sstream>
#include <stdexcept>

namespace fmus {

namespace file = interfaces::machine_file;
using namespace models::kinematics;

namespace {

Eigen::Vector3d vector(const file::Vector& v) { return {v[0], v[1], v[2]}; }

Eigen::Isometry3d pose(const file::Origin& origin) {
    const auto& [roll, pitch, yaw] = origin.rpy;
    Eigen::Isometry3d result = Eigen::Isometry3d::Identity();
    result.translation() = vector(origin.xyz);
    result.linear() =
        (Eigen::AngleAxisd(yaw, Eigen::Vector3d::UnitZ()) * Eigen::AngleAxisd(pitch, Eigen::Vector3d::UnitY()) *
         Eigen::AngleAxisd(roll, Eigen::Vector3d::UnitX()))
            .toRotationMatrix();
    return result;
}

Box shape(const file::Box& box) { return {.size = vector(box.size)}; }
Capsule shape(const file::Capsule& capsule) { return {.radius = capsule.radius, .length = capsule.length}; }

Inertia inertia(const file::Inertia& given) {
    const Eigen::Isometry3d at = pose(given.origin);
    Eigen::Matrix3d tensor;
    tensor << given.xx, given.xy, given.xz, given.xy, given.yy, given.yz, given.xz, given.yz, given.zz;
    return {
        .mass = given.mass, .centre = at.translation(), .about_centre = at.linear() * tensor * at.linear().transpose()};
}

Link link(const file::Link& given) {
    Link result{.name = given.name, .inertia = inertia(given.inertia)};
    for (const file::Body& body : given.bodies)
        std::visit([&](const auto& known) { result.bodies.push_back({pose(body.origin), shape(known)}); }, body.shape);
    return result;
}

JointKind kind(file::JointKind given) {
    switch (given) {
        case file::JointKind::revolute:
            return JointKind::revolute;
        case file::JointKind::prismatic:
            return JointKind::prismatic;
        case file::JointKind::fixed:
            break;
    }
    return JointKind::fixed;
}

Joint joint(const file::Joint& given) {
    return {.name = given.name,
            .kind = kind(given.kind),
            .parent = given.parent,
            .origin = pose(given.origin),
            .axis = vector(given.axis).normalized(),
            .lower = given.lower,
            .upper = given.upper};
}

Direct drive(const file::Direct& given) { return {.ratio = given.ratio}; }
Cylinder drive(const file::Cylinder& given) {
    return {
        .base = vector(given.base), .rod = vector(given.rod), .closed_length = given.closed_length, .sign = given.sign};
}
FourBar drive(const file::FourBar& given) {
    return {.base = vector(given.base),
            .rocker = vector(given.rocker),
            .rod = vector(given.rod),
            .rocker_length = given.rocker_length,
            .rod_length = given.rod_length,
            .closed_length = given.closed_length,
            .sign = given.sign};
}

Axis axis(const file::Axis& given) {
    Axis result{.name = given.name, .joint = given.joint, .lower = given.lower, .upper = given.upper};
    std::visit([&](const auto& known) { result.drive = drive(known); }, given.drive);
    return result;
}

/// The axis added last, against its joint.
void require_closing(const Machine& machine, const std::string& where) {
    const Joint& moved = machine.joints[machine.axes.back().joint];
    try {
        const Linkage linkage(machine, machine.axes.size() - 1);
        const Limits& reached = linkage.joint_limits();
        constexpr double slack = 1e-9;
        if (reached.lower >= moved.lower - slack && reached.upper <= moved.upper + slack) return;
        std::ostringstream text;
        text << "the stroke of '" << linkage.name() << "' turns joint '" << moved.name << "' over " << reached.lower
             << " .. " << reached.upper << ", outside its limits " << moved.lower << " .. " << moved.upper;
        throw file::Error(where, text.str());
    } catch (const std::invalid_argument& problem) {
        throw file::Error(where, problem.what());
    }
}

}  // namespace

Machine read_machine(const std::string& path) { return checked_machine(file::read(path)); }

Machine checked_machine(const file::Machine& given) {
    Machine machine{.name = given.name, .tilted = given.tilted};
    for (const file::Link& each : given.links) machine.links.push_back(link(each));
    for (const file::Joint& each : given.joints) machine.joints.push_back(joint(each));
    for (const file::Axis& each : given.axes) {
        machine.axes.push_back(axis(each));
        require_closing(machine, each.where);
    }
    for (const file::WallTouch& touch : given.wall_touches) machine.wall_touches.push_back({touch.link, touch.axis});
    if (given.tool) {
        machine.tool = given.tool->link;
        machine.tool_point = pose(given.tool->origin);
        machine.tool_box = vector(given.tool->box);
    }
    return machine;
}

}  // namespace fmus
