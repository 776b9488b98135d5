#include "models/machine/inverse_kinematics/inverse_kinematics.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace models {

using namespace kinematics;

namespace {

using Error6 = Eigen::Matrix<double, 6, 1>;

/// What must still be moved and turned, in world axes.
Error6 difference(const Eigen::Isometry3d& target, const Eigen::Isometry3d& tool) {
    const Eigen::AngleAxisd turn(Eigen::Matrix3d(target.linear() * tool.linear().transpose()));
    Error6 error;
    error << target.translation() - tool.translation(), turn.angle() * turn.axis();
    return error;
}

}  // namespace

InverseKinematics::InverseKinematics(const Machine& machine, const std::vector<std::string>& axes) : tree_(machine) {
    std::vector<bool> moves_tool(machine.joints.size(), false);
    for (std::size_t link = tree_.tool_link(); link > 0; link = machine.joints[link - 1].parent)
        moves_tool[link - 1] = true;
    for (const std::string& name : axes) {
        const auto found =
            std::find_if(machine.axes.begin(), machine.axes.end(), [&](const Axis& axis) { return axis.name == name; });
        if (found == machine.axes.end())
            throw std::invalid_argument("machine '" + machine.name + "' has no axis '" + name + "'");
        if (!moves_tool[found->joint])
            throw std::invalid_argument("axis '" + name + "' of machine '" + machine.name + "' does not move the tool");
    }
    for (const Linkage& axis : linkages(machine)) {
        if (!moves_tool[axis.joint_index()]) continue;
        if (!axes.empty() && std::find(axes.begin(), axes.end(), axis.name()) == axes.end()) continue;
        const Joint& joint = machine.joints[axis.joint_index()];
        free_.push_back({axis.joint_index(), joint.axis.normalized(), joint.kind, axis.joint_limits()});
    }
    if (free_.size() > most_joints || tree_.link_count() > most_links)
        throw std::invalid_argument("machine '" + machine.name + "' is too large for the inverse kinematics");
}

InverseKinematics::Result InverseKinematics::solve(const Base& base, const Eigen::Isometry3d& target,
                                                   std::span<double> joints, const Options& options) const {
    assert(joints.size() == tree_.joint_count());
    using Jacobian = Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, most_joints>;
    using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, most_joints, most_joints>;
    using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, most_joints, 1>;

    const auto count = static_cast<Eigen::Index>(free_.size());
    std::array<Eigen::Isometry3d, most_links> storage;
    const std::span poses(storage.data(), tree_.link_count());
    Error6 weights = Error6::Ones();
    weights.tail<3>() *= options.orientation_weight;

    const auto measure = [&](std::span<const double> at) {
        tree_.place(base, at, poses);
        return difference(target, tree_.tool(poses));
    };
    const auto result_of = [&](const Error6& error, int iterations) {
        Result result{.position_error = error.head<3>().norm(),
                      .orientation_error = error.tail<3>().norm(),
                      .iterations = iterations};
        result.reached = result.position_error <= options.position_tolerance &&
                         result.orientation_error <= options.orientation_tolerance;
        return result;
    };

    for (const Free& axis : free_)
        joints[axis.joint] = std::clamp(joints[axis.joint], axis.limits.lower, axis.limits.upper);
    Error6 error = measure(joints);
    std::array<double, most_joints> before{};
    double damping = 1e-3;
    for (int iteration = 0; iteration < options.iterations; ++iteration) {
        const Result result = result_of(error, iteration);
        if (result.reached) return result;

        Jacobian jacobian(6, count);
        const Eigen::Vector3d point = tree_.tool(poses).translation();
        for (Eigen::Index i = 0; i < count; ++i) {
            const Free& axis = free_[static_cast<std::size_t>(i)];
            const Eigen::Isometry3d& pose = poses[axis.joint + 1];
            const Eigen::Vector3d direction = pose.linear() * axis.axis;
            if (axis.kind == JointKind::revolute)
                jacobian.col(i) << direction.cross(point - pose.translation()), direction;
            else
                jacobian.col(i) << direction, Eigen::Vector3d::Zero();
        }
        jacobian = weights.asDiagonal() * jacobian;
        const Error6 wanted = weights.cwiseProduct(error);
        // A joint at its limit that would be pushed further stays where it is.
        const Vector pull = jacobian.transpose() * wanted;
        for (Eigen::Index i = 0; i < count; ++i) {
            const Free& axis = free_[static_cast<std::size_t>(i)];
            if ((joints[axis.joint] <= axis.limits.lower && pull[i] < 0) ||
                (joints[axis.joint] >= axis.limits.upper && pull[i] > 0))
                jacobian.col(i).setZero();
        }
        Square normal = jacobian.transpose() * jacobian;
        normal.diagonal().array() += damping * damping;
        const Vector change = normal.ldlt().solve(Vector(jacobian.transpose() * wanted));
        for (std::size_t i = 0; i < free_.size(); ++i) {
            const Free& axis = free_[i];
            before[i] = joints[axis.joint];
            joints[axis.joint] =
                std::clamp(before[i] + change[static_cast<Eigen::Index>(i)], axis.limits.lower, axis.limits.upper);
        }
        const Error6 next = measure(joints);
        if (weights.cwiseProduct(next).norm() < wanted.norm()) {
            error = next;
            damping = std::max(damping / 4, 1e-9);
            continue;
        }
        for (std::size_t i = 0; i < free_.size(); ++i) joints[free_[i].joint] = before[i];
        measure(joints);
        damping *= 4;
        if (damping > 1e6) return result_of(error, iteration);
    }
    return result_of(error, options.iterations);
}

}  // namespace models
