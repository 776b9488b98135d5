#include "models/machine/kinematics/attachment.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

namespace models::kinematics {

namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

// Of directions and places in a machine description: six digits are written.
constexpr double description_tolerance = 1e-5;

double angle(const Vector2d& v) { return std::atan2(v.y(), v.x()); }
Vector2d turned(const Vector2d& v, double by) { return Eigen::Rotation2Dd(by) * v; }

/// The angle, within half a turn of the middle of the limits.
double near(double angle_, const Limits& limits) {
    const double middle = std::isfinite(limits.lower + limits.upper) ? (limits.lower + limits.upper) / 2 : 0;
    return middle + std::remainder(angle_ - middle, 2 * std::numbers::pi);
}

double relative_margin(double value, const Limits& limits) {
    const double range = limits.upper - limits.lower;
    if (!std::isfinite(range)) return 1;
    return std::min(value - limits.lower, limits.upper - value) / range;
}

}  // namespace

Attachment::Attachment(const Machine& machine) : tree_(machine) {
    if (tree_.link_count() > most_links)
        throw std::invalid_argument("machine '" + machine.name + "' has too many links for an attachment");
    find_joints(machine);
    measure(machine);
}

void Attachment::find_joints(const Machine& machine) {
    // The driven joints on the way to the tool, from the root, and their axes with all joints at 0.
    std::vector<Eigen::Isometry3d> poses(tree_.link_count());
    tree_.place({}, std::vector<double>(tree_.joint_count(), 0.0), poses);
    std::vector<Driven> way;
    std::vector<Vector3d> axes;
    for (std::size_t link = tree_.tool_link(); link > 0; link = machine.joints[link - 1].parent) {
        if (machine.joints[link - 1].kind == JointKind::fixed) continue;
        for (const Linkage& axis : linkages(machine))
            if (axis.joint_index() == link - 1) way.insert(way.begin(), {link - 1, axis.joint_limits()});
        axes.insert(axes.begin(), poses[link].linear() * machine.joints[link - 1].axis);
    }
    const auto parallel = [&](std::size_t a, std::size_t b) {
        return axes[a].dot(axes[b]) > 1 - description_tolerance;
    };
    std::size_t first = 0, count = 0;
    for (std::size_t begin = 0; begin < way.size() && way.size() == axes.size(); ++begin) {
        std::size_t end = begin + 1;
        while (end < way.size() && parallel(begin, end)) ++end;
        if (end - begin > count) first = begin, count = end - begin;
    }
    if (count != 3 && count != 4)
        throw std::invalid_argument(
            "machine '" + machine.name +
            "' has no attachment: three or four joints with parallel axes must lead to the tool");
    if (way.size() > first + count + 1)
        throw std::invalid_argument("machine '" + machine.name +
                                    "': more than one joint between the coupler and the tool");
    boom_ = way[first];
    if (count == 4) adjust_ = way[first + 1];
    arm_ = way[first + count - 2];
    coupler_ = way[first + count - 1];
    if (way.size() > first + count) rotate_ = way.back();
    if (first > 0 && std::abs(axes[first - 1].dot(axes[first])) < description_tolerance &&
        machine.joints[way[first - 1].joint].kind == JointKind::revolute)
        slew_ = way[first - 1];
    stand_joint_ = slew_ ? slew_->joint : boom_.joint;
    stand_parent_ = machine.joints[stand_joint_].parent;
    stand_origin_ = machine.joints[stand_joint_].origin;
}

void Attachment::measure(const Machine& machine) {
    std::vector<Eigen::Isometry3d> poses(tree_.link_count());
    tree_.place({}, std::vector<double>(tree_.joint_count(), 0.0), poses);
    const Eigen::Isometry3d to_stand = (poses[stand_parent_] * stand_origin_).inverse();
    const auto place = [&](const Driven& driven) -> Vector3d {
        return to_stand * poses[driven.joint + 1].translation();
    };
    const Eigen::Isometry3d tool = to_stand * tree_.tool(poses);

    hinge_ = to_stand.linear() * poses[boom_.joint + 1].linear() * machine.joints[boom_.joint].axis.normalized();
    up_ = slew_ ? Vector3d(machine.joints[slew_->joint].axis.normalized()) : Vector3d::UnitZ();
    up_ = (up_ - up_.dot(hinge_) * hinge_).normalized();
    along_ = up_.cross(hinge_);
    const auto in_plane = [&](const Vector3d& v) { return Vector2d(along_.dot(v), up_.dot(v)); };

    boom_pin_ = in_plane(place(boom_));
    const Vector3d elbow = adjust_ ? place(*adjust_) : place(arm_);
    main_ = in_plane(elbow) - boom_pin_;
    adjustable_ = in_plane(place(arm_)) - in_plane(elbow);
    arm_vector_ = in_plane(place(coupler_)) - in_plane(place(arm_));
    tool_ = in_plane(tool.translation()) - in_plane(place(coupler_));
    tool_turn_ = tool.linear();

    Vector3d axis = rotate_ ? Vector3d(to_stand.linear() * poses[rotate_->joint + 1].linear() *
                                       machine.joints[rotate_->joint].axis.normalized())
                            : up_;
    const double aside = std::abs(hinge_.dot(tool.translation()));
    const double off_axis = rotate_ ? (tool.translation() - place(*rotate_)).cross(axis).norm() : 0.0;
    if (aside > description_tolerance || off_axis > description_tolerance ||
        std::abs(axis.dot(hinge_)) > description_tolerance)
        throw std::invalid_argument(
            "machine '" + machine.name +
            "': the tool point must lie in the attachment's plane, on the axis of its rotation");
    tool_axis_ = tool.linear().transpose() * axis;
    tool_axis_angle_ = angle(in_plane(axis));
}

Eigen::Isometry3d Attachment::stand(const Base& base, std::span<const double> joints) const {
    std::array<Eigen::Isometry3d, most_links> poses;
    tree_.place(base, joints, std::span(poses.data(), tree_.link_count()));
    return poses[stand_parent_] * stand_origin_;
}

/// `target` in the stand's frame.
Attachment::Planar Attachment::planar(const Eigen::Isometry3d& target) const {
    Planar result;
    const Vector3d point = target.translation();
    if (slew_) result.slew = std::atan2(up_.cross(along_).dot(point), along_.dot(point));
    const Eigen::Matrix3d back = Eigen::AngleAxisd(-result.slew, up_).toRotationMatrix();
    const auto in_plane = [&](const Vector3d& v) { return Vector2d(along_.dot(v), up_.dot(v)); };

    const Vector3d axis = back * target.linear() * tool_axis_;
    result.lean = std::asin(std::clamp(hinge_.dot(axis), -1.0, 1.0));
    result.sum = angle(in_plane(axis)) - tool_axis_angle_;
    result.wrist = in_plane(back * point) - turned(tool_, result.sum);
    if (!rotate_) return result;

    // What remains of the target's orientation is a turn about the tool's own axis.
    const Eigen::Matrix3d unturned =
        Eigen::AngleAxisd(slew_ ? result.slew : 0.0, up_) * Eigen::AngleAxisd(result.sum, hinge_) * tool_turn_;
    const Eigen::Matrix3d rest = unturned.transpose() * target.linear();
    const Vector3d across = tool_axis_.unitOrthogonal();
    result.rotate = std::atan2(tool_axis_.dot(across.cross(rest * across)), across.dot(rest * across));
    return result;
}

/// Two links in a plane with the elbow up: the arm points down from it.
std::optional<Attachment::Angles> Attachment::angles(const Planar& target, double adjust) const {
    const Vector2d upper = main_ + turned(adjustable_, adjust);
    const Vector2d reach = target.wrist - boom_pin_;
    const double a = upper.norm(), b = arm_vector_.norm();
    const double cosine = (a * a + b * b - reach.squaredNorm()) / (2 * a * b);
    if (!(std::abs(cosine) <= 1)) return std::nullopt;
    const double inner = std::acos(cosine);
    const double upper_angle = angle(reach) + std::atan2(b * std::sin(inner), a - b * std::cos(inner));
    const double arm_angle = upper_angle - std::numbers::pi + inner;
    Angles result;
    result.boom = near(upper_angle - angle(upper), boom_.limits);
    result.arm = near(arm_angle - angle(arm_vector_) - result.boom - adjust, arm_.limits);
    result.coupler = near(target.sum - result.boom - adjust - result.arm, coupler_.limits);
    return result;
}

std::optional<double> Attachment::margin(const Planar& target, double adjust) const {
    const auto found = angles(target, adjust);
    if (!found) return std::nullopt;
    double smallest = std::min({relative_margin(found->boom, boom_.limits), relative_margin(found->arm, arm_.limits),
                                relative_margin(found->coupler, coupler_.limits)});
    if (adjust_) smallest = std::min(smallest, relative_margin(adjust, adjust_->limits));
    if (slew_) smallest = std::min(smallest, relative_margin(near(target.slew, slew_->limits), slew_->limits));
    if (rotate_) smallest = std::min(smallest, relative_margin(near(target.rotate, rotate_->limits), rotate_->limits));
    return smallest;
}

double Attachment::best_adjust(const Planar& target) const {
    constexpr double none = -1e9;
    const auto value = [&](double adjust) { return margin(target, adjust).value_or(none); };
    const Limits& limits = adjust_->limits;
    constexpr int samples = 48;
    double best = limits.lower, best_value = none;
    const double spacing = (limits.upper - limits.lower) / samples;
    for (int i = 0; i <= samples; ++i) {
        const double adjust = limits.lower + i * spacing;
        if (value(adjust) > best_value) best = adjust, best_value = value(adjust);
    }
    // Around the best sample the smallest margin has one top: golden section.
    constexpr double golden = 0.6180339887498949;
    double lower = std::max(limits.lower, best - spacing), upper = std::min(limits.upper, best + spacing);
    for (int i = 0; i < 40; ++i) {
        const double left = upper - golden * (upper - lower), right = lower + golden * (upper - lower);
        if (value(left) > value(right))
            upper = right;
        else
            lower = left;
    }
    const double refined = (lower + upper) / 2;
    return value(refined) >= best_value ? refined : best;
}

std::optional<Attachment::Solution> Attachment::finish(const Planar& target, double adjust,
                                                       std::span<double> joints) const {
    const auto found = angles(target, adjust);
    if (!found) return std::nullopt;
    joints[boom_.joint] = found->boom;
    joints[arm_.joint] = found->arm;
    joints[coupler_.joint] = found->coupler;
    if (adjust_) joints[adjust_->joint] = adjust;
    if (slew_) joints[slew_->joint] = near(target.slew, slew_->limits);
    if (rotate_) joints[rotate_->joint] = near(target.rotate, rotate_->limits);
    return Solution{.margin = *margin(target, adjust), .lean = target.lean};
}

std::optional<Attachment::Solution> Attachment::solve(const Base& base, const Eigen::Isometry3d& target,
                                                      std::span<double> joints) const {
    const Planar seen = planar(stand(base, joints).inverse() * target);
    return finish(seen, adjust_ ? best_adjust(seen) : 0.0, joints);
}

std::optional<Attachment::Solution> Attachment::solve(const Base& base, const Eigen::Isometry3d& target, double adjust,
                                                      std::span<double> joints) const {
    return finish(planar(stand(base, joints).inverse() * target), adjust_ ? adjust : 0.0, joints);
}

}  // namespace models::kinematics
