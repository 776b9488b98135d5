#include "models/machine/kinematics/tree.hpp"

#include <cassert>

namespace models::kinematics {

Eigen::Isometry3d tilt(double pitch, double roll) {
    return Eigen::Isometry3d(Eigen::AngleAxisd(pitch, -Eigen::Vector3d::UnitY()) *
                             Eigen::AngleAxisd(roll, Eigen::Vector3d::UnitX()));
}

Tree::Tree(const Machine& machine)
    : tilted_(machine.tilted),
      tool_link_(machine.tool.value_or(static_cast<std::uint32_t>(machine.links.size() - 1))),
      tool_point_(machine.tool ? machine.tool_point : Eigen::Isometry3d::Identity()) {
    joints_.reserve(machine.joints.size());
    for (const Joint& joint : machine.joints)
        joints_.push_back(
            {.origin = joint.origin, .axis = joint.axis.normalized(), .parent = joint.parent, .kind = joint.kind});
}

void Tree::place(const Base& base, std::span<const double> joints, std::span<Eigen::Isometry3d> poses) const {
    assert(joints.size() == joint_count() && poses.size() == link_count());
    const Eigen::Isometry3d tilting = tilt(base.pitch, base.roll);
    poses[0] = base.pose;
    if (tilted_ == 0) poses[0] = poses[0] * tilting;
    for (std::size_t i = 0; i < joints_.size(); ++i) {
        const Step& joint = joints_[i];
        Eigen::Isometry3d& pose = poses[i + 1];
        pose = poses[joint.parent] * joint.origin;
        if (joint.kind == JointKind::revolute) pose.rotate(Eigen::AngleAxisd(joints[i], joint.axis));
        if (joint.kind == JointKind::prismatic) pose.translate(joints[i] * joint.axis);
        if (tilted_ == i + 1) pose = pose * tilting;
    }
}

std::array<double, 7> values_of(const Eigen::Isometry3d& pose) {
    Eigen::Quaterniond q(pose.linear());
    if (q.w() < 0) q.coeffs() = -q.coeffs();
    const Eigen::Vector3d p = pose.translation();
    return {p.x(), p.y(), p.z(), q.x(), q.y(), q.z(), q.w()};
}

}  // namespace models::kinematics
