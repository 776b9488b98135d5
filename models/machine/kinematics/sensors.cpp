#include "models/machine/kinematics/sensors.hpp"

#include "models/machine/kinematics/tree.hpp"

#include <cmath>
#include <numbers>

namespace models::kinematics {

namespace {

/// Whether a joint's axis is horizontal when the machine stands level with all joints at 0.
bool is_level(const Machine& machine, const Tree& tree, std::size_t joint) {
    std::vector<Eigen::Isometry3d> poses(tree.link_count());
    tree.place({}, std::vector<double>(tree.joint_count(), 0.0), poses);
    return std::abs((poses[joint + 1].linear() * machine.joints[joint].axis.normalized()).z()) < 1e-3;
}

bool moves_tool(const Machine& machine, const Tree& tree, std::size_t joint) {
    for (std::size_t link = tree.tool_link(); link > 0; link = machine.joints[link - 1].parent)
        if (link == joint + 1) return true;
    return false;
}

}  // namespace

Sensors::Sensors(const Machine& machine) : axes_(linkages(machine)), tilted_(machine.tilted) {
    if (axes_.size() > most_axes || machine.links.size() > most_links)
        throw std::invalid_argument("machine '" + machine.name + "' has " + std::to_string(axes_.size()) +
                                    " axes and " + std::to_string(machine.links.size()) + " links, at most " +
                                    std::to_string(most_axes) + " and " + std::to_string(most_links) + " are possible");
    for (const Joint& joint : machine.joints)
        hops_.push_back({.origin = joint.origin.linear(),
                         .axis = joint.axis.normalized(),
                         .parent = joint.parent,
                         .turns = joint.kind == JointKind::revolute});
    const Tree tree(machine);
    for (std::size_t i = 0; i < axes_.size(); ++i) {
        const std::size_t index = axes_[i].joint_index();
        const Joint& joint = machine.joints[index];
        const auto* direct = std::get_if<Direct>(&machine.axes[i].drive);
        hops_[index].driver = static_cast<int>(i);
        turns_directly_.push_back(direct != nullptr && direct->ratio == 1 && joint.kind == JointKind::revolute);
        const Eigen::Vector3d axis = joint.axis.normalized();
        Eigen::Vector3d forward = Eigen::Vector3d::UnitX() - axis.x() * axis;
        if (forward.norm() < 0.5) forward = Eigen::Vector3d::UnitY() - axis.y() * axis;
        forward.normalize();
        directions_.push_back({forward, axis.cross(forward)});
        const bool inclined = direct == nullptr && is_level(machine, tree, index);
        const Kind found = inclined ? Kind::inclinometer : Kind::position;
        kinds_.push_back(moves_tool(machine, tree, index) ? found : Kind::none);
    }
}

Sensors::Signal Sensors::signal(std::size_t axis) const {
    const std::string& name = axes_[axis].name();
    if (kinds_[axis] == Kind::inclinometer)
        return {"inclination." + name, "rad", "Inclination of the link against the horizontal, positive upwards"};
    if (turns_directly_[axis]) return {name + ".angle", "rad", "Encoder"};
    return {name + ".length", "m", "Draw-wire from the retracted end, or odometer"};
}

void Sensors::convert(const Readings& readings, std::span<double> joints, std::span<double> positions) const {
    std::array<Eigen::Matrix3d, most_links> turns;
    const Eigen::Matrix3d tilted = tilt(readings.pitch, readings.roll).linear();
    turns[0] = tilted_ == 0 ? tilted : Eigen::Matrix3d::Identity();
    for (std::size_t joint = 0; joint < hops_.size(); ++joint) {
        const Hop& hop = hops_[joint];
        Eigen::Matrix3d turn = turns[hop.parent] * hop.origin;
        if (hop.driver >= 0) {
            const auto axis = static_cast<std::size_t>(hop.driver);
            if (kinds_[axis] == Kind::position) {
                positions[axis] = readings.values[axis];
                joints[joint] = axes_[axis].joint(positions[axis]);
            } else if (kinds_[axis] == Kind::inclinometer) {
                joints[joint] = joint_from(axis, readings.values[axis], turn);
                positions[axis] = axes_[axis].position(joints[joint]);
            }
            if (hop.turns) turn = turn * Eigen::AngleAxisd(joints[joint], hop.axis);
        }
        if (joint + 1 == tilted_) turn = turn * tilted;
        turns[joint + 1] = turn;
    }
}

Sensors::Readings Sensors::middle() const {
    Readings readings;
    std::array<Eigen::Matrix3d, most_links> turns;
    turns[0] = Eigen::Matrix3d::Identity();
    for (std::size_t joint = 0; joint < hops_.size(); ++joint) {
        const Hop& hop = hops_[joint];
        Eigen::Matrix3d& turn = turns[joint + 1];
        turn = turns[hop.parent] * hop.origin;
        if (hop.driver < 0) continue;
        const auto axis = static_cast<std::size_t>(hop.driver);
        const Limits& stroke = axes_[axis].stroke();
        const bool limited = std::isfinite(stroke.lower) && std::isfinite(stroke.upper);
        const double position = limited ? (stroke.lower + stroke.upper) / 2 : 0;
        if (hop.turns) turn = turn * Eigen::AngleAxisd(axes_[axis].joint(position), hop.axis);
        const auto& [forward, upward] = directions_[axis];
        const double inclination = std::atan2((turn * forward).z(), (turn * upward).z());
        readings.values[axis] = kinds_[axis] == Kind::inclinometer ? inclination : position;
    }
    return readings;
}

/// Turning the link by its joint adds exactly that angle to its inclination, however the hinge itself leans.
double Sensors::joint_from(std::size_t axis, double inclination, const Eigen::Matrix3d& unturned) const {
    const auto& [forward, upward] = directions_[axis];
    const double at_zero = std::atan2((unturned * forward).z(), (unturned * upward).z());
    const Limits& limits = axes_[axis].joint_limits();
    const double middle = (limits.lower + limits.upper) / 2;
    return middle + std::remainder(inclination - at_zero - middle, 2 * std::numbers::pi);
}

}  // namespace models::kinematics
