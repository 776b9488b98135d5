#include "models/machine/posture/posture.hpp"

#include <algorithm>
#include <cmath>

namespace models::posture {

namespace {

using kinematics::Joint;
using kinematics::Limits;

double middle_of(const Limits& stroke) {
    if (!std::isfinite(stroke.lower) || !std::isfinite(stroke.upper)) return 0;
    return (stroke.lower + stroke.upper) / 2;
}

/// Whether a joint's axis is horizontal when the machine stands level with all joints at 0.
bool is_level(const Machine& machine, const Tree& tree, std::size_t joint) {
    std::vector<Eigen::Isometry3d> poses(tree.link_count());
    tree.place({}, std::vector<double>(tree.joint_count(), 0.0), poses);
    return std::abs((poses[joint + 1].linear() * machine.joints[joint].axis.normalized()).z()) < 1e-3;
}

}  // namespace

Posture::Posture(const Machine& machine)
    : axes_(kinematics::linkages(machine)),
      moves_tool_(axes_.size(), false),
      tree_(machine),
      coordinates_(tree_.joint_count(), 0.0),
      poses_(tree_.link_count(), Eigen::Isometry3d::Identity()) {
    if (axes_.size() > most_axes)
        throw std::invalid_argument("machine '" + machine.name + "' has " + std::to_string(axes_.size()) +
                                    " axes, at most " + std::to_string(most_axes) + " are possible");
    for (std::size_t link = tree_.tool_link(); link > 0; link = machine.joints[link - 1].parent)
        for (std::size_t i = 0; i < axes_.size(); ++i)
            if (axes_[i].joint_index() == link - 1) moves_tool_[i] = true;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
        const std::size_t index = axes_[i].joint_index();
        const Joint& joint = machine.joints[index];
        directions_.push_back(joint.axis.normalized());
        slides_.push_back(joint.kind == kinematics::JointKind::prismatic);
        inputs.position[i] = middle_of(axes_[i].stroke());
        const bool hinge = moves_tool_[i] && !std::holds_alternative<kinematics::Direct>(machine.axes[i].drive);
        if (!hinge || !is_level(machine, tree_, index)) continue;
        Eigen::Vector3d forward = Eigen::Vector3d::UnitX() - joint.axis.x() * joint.axis;
        if (forward.norm() < 0.5) forward = Eigen::Vector3d::UnitY() - joint.axis.y() * joint.axis;
        forward.normalize();
        inclinometers_.push_back({i, index + 1, forward, directions_.back().cross(forward)});
    }
    scenes_.assign(2, collision::Scene(machine));
    for (const kinematics::WallTouch& touch : machine.wall_touches) {
        scenes_[1].ignore_wall(machine.links[touch.link].name);
        if (touch.axis)
            biting_axes_.push_back(*touch.axis);
        else
            scenes_[0].ignore_wall(machine.links[touch.link].name);
    }
    configure();
    outputs.link_poses.resize(7 * tree_.link_count());
    const Eigen::Vector3d& box = machine.tool_box;
    outputs.tool_box = {box.x(), box.y(), box.z()};
}

void Posture::configure() {
    constexpr std::uint64_t most_vertices = 2'000'000;  // a unit then holds some 100 MB, as the wall's does
    if (ring.columns < 2 || ring.rows < 2 || ring.columns > most_vertices || ring.rows > most_vertices / ring.columns)
        throw std::invalid_argument("n_phi = " + std::to_string(ring.columns) + ", n_r = " + std::to_string(ring.rows) +
                                    ": a wall has at least 2 x 2 and at most 2000000 vertices");
    inputs.heights.assign(ring.columns * ring.rows, 0.0);
}

void Posture::initialize(double) {
    const auto require = [](bool holds, const char* what, double found) {
        if (!holds) throw std::invalid_argument(std::string(what) + ", found " + std::to_string(found));
    };
    require(ring.radius > 0 && std::isfinite(ring.radius), "ring.radius must be above 0", ring.radius);
    require(ring.thickness > 0 && ring.thickness < 2 * ring.radius, "ring.thickness must be above 0", ring.thickness);
    require(ring.spacing > 0 && std::isfinite(ring.spacing), "ring.spacing must be above 0", ring.spacing);
    require(std::isfinite(ring.base), "ring.base must be finite", ring.base);
    require(std::isfinite(ring.start), "ring.start must be finite", ring.start);
}

void Posture::evaluate(double) {
    move_joints();
    tree_.place({.pitch = inputs.pitch, .roll = inputs.roll}, coordinates_, poses_);
    report_poses();
    measure_velocity();
    look_for_collision();
}

void Posture::move_joints() {
    outputs.measured = inputs.position;
    outputs.inside = true;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
        outputs.joint[i] = axes_[i].joint(inputs.position[i]);
        coordinates_[axes_[i].joint_index()] = outputs.joint[i];
        outputs.inside = outputs.inside && axes_[i].stroke().contain(inputs.position[i]);
    }
}

void Posture::report_poses() {
    auto place = outputs.link_poses.begin();
    for (const Eigen::Isometry3d& pose : poses_) {
        const std::array<double, 7> values = kinematics::values_of(pose);
        place = std::copy(values.begin(), values.end(), place);
    }
    outputs.tool_pose = kinematics::values_of(tree_.tool(poses_));
    for (const Inclinometer& sensor : inclinometers_) {
        const Eigen::Matrix3d& turn = poses_[sensor.link].linear();
        outputs.inclination[sensor.axis] = std::atan2((turn * sensor.forward).z(), (turn * sensor.upward).z());
    }
}

void Posture::measure_velocity() {
    const Eigen::Vector3d point = tree_.tool(poses_).translation();
    Eigen::Vector3d velocity = Eigen::Vector3d::Zero();
    for (std::size_t i = 0; i < axes_.size(); ++i) {
        if (!moves_tool_[i]) continue;
        const Eigen::Isometry3d& pose = poses_[axes_[i].joint_index() + 1];
        const Eigen::Vector3d direction = pose.linear() * directions_[i];
        const double rate = inputs.velocity[i] / axes_[i].transmission(outputs.joint[i]).arm;
        velocity += rate * (slides_[i] ? direction : direction.cross(point - pose.translation()));
    }
    outputs.tool_velocity = {velocity.x(), velocity.y(), velocity.z()};
}

bool Posture::bites() const {
    constexpr double standing_still = 1e-3;  // m/s
    return std::any_of(biting_axes_.begin(), biting_axes_.end(),
                       [this](std::size_t axis) { return inputs.velocity[axis] > standing_still; });
}

void Posture::look_for_collision() {
    const collision::RingWall wall{.inner_radius = ring.radius - ring.thickness / 2,
                                   .outer_radius = ring.radius + ring.thickness / 2,
                                   .first_azimuth = ring.start,
                                   .azimuth_step = ring.spacing / ring.radius,
                                   .base = ring.base,
                                   .columns = ring.columns,
                                   .rows = ring.rows,
                                   .heights = inputs.heights};
    const auto contact = scenes_[bites() ? 1 : 0].deepest(poses_, wall);
    outputs.collides = contact.has_value();
    outputs.pair = contact ? std::array{contact->first, contact->second} : std::array<std::int32_t, 2>{};
    outputs.depth = contact ? contact->depth : 0;
}

}  // namespace models::posture
