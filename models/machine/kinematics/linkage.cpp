#include "models/machine/kinematics/linkage.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <sstream>

namespace models::kinematics {

namespace linkage {
namespace {

using Eigen::Vector2d;

double angle(const Vector2d& v) { return std::atan2(v.y(), v.x()); }
Vector2d turned(const Vector2d& v, double by) { return Eigen::Rotation2Dd(by) * v; }
/// v turned by a right angle: the velocity of v per unit of angular velocity.
Vector2d quarter_turned(const Vector2d& v) { return {-v.y(), v.x()}; }

/// The angle between the sides a and b of a triangle, given the squared third side; empty if there is no triangle.
std::optional<double> corner(double a, double b, double opposite_squared) {
    const double cosine = (a * a + b * b - opposite_squared) / (2 * a * b);
    if (!(std::abs(cosine) <= 1)) return std::nullopt;
    return std::acos(cosine);
}

double squared(double x) { return x * x; }

/// Joint coordinate of a position; empty where the linkage does not close.
std::optional<double> joint_of(const Direct& drive, double position) { return position / drive.ratio; }

std::optional<double> joint_of(const PlanarCylinder& c, double position) {
    const auto between = corner(c.base.norm(), c.rod.norm(), squared(c.closed_length + position) - squared(c.offset));
    if (!between) return std::nullopt;
    return angle(c.base) + c.sign * *between - angle(c.rod);
}

std::optional<double> joint_of(const PlanarFourBar& f, double position) {
    const Vector2d rocker_to_base = f.base - f.rocker;
    const auto swing =
        corner(rocker_to_base.norm(), f.rocker_length, squared(f.closed_length + position) - squared(f.offset));
    if (!swing) return std::nullopt;
    const Vector2d end = f.rocker + turned({f.rocker_length, 0}, angle(rocker_to_base) + f.sign * *swing);
    const auto between = corner(end.norm(), f.rod.norm(), squared(f.rod_length));
    if (!between) return std::nullopt;
    return angle(end) + f.sign * *between - angle(f.rod);
}

/// The pin J of the four-bar at a joint angle, on the side of the line K-L that the uncrossed assembly has.
std::optional<Vector2d> end_of(const PlanarFourBar& f, double joint) {
    const Vector2d rocker_to_rod = turned(f.rod, joint) - f.rocker;
    const auto swing = corner(f.rocker_length, rocker_to_rod.norm(), squared(f.rod_length));
    if (!swing) return std::nullopt;
    return f.rocker + turned({f.rocker_length, 0}, angle(rocker_to_rod) - f.sign * *swing);
}

std::optional<Transmission> transmission_of(const Direct& drive, double joint) {
    return Transmission{.position = drive.ratio * joint, .arm = drive.ratio, .arm_slope = 0};
}

std::optional<Transmission> transmission_of(const PlanarCylinder& c, double joint) {
    const Vector2d rod = turned(c.rod, joint);
    const Vector2d along = rod - c.base;
    const Vector2d rate = quarter_turned(rod);
    const double length = std::sqrt(along.squaredNorm() + squared(c.offset));
    const double arm = along.dot(rate) / length;
    return Transmission{.position = length - c.closed_length,
                        .arm = arm,
                        .arm_slope = (rate.squaredNorm() - along.dot(rod) - squared(arm)) / length};
}

/// With the rocker's angle psi(q) from the rod's constant length, (J - L) . (J' - L') = 0, and its derivative.
std::optional<Transmission> transmission_of(const PlanarFourBar& f, double joint) {
    const auto end = end_of(f, joint);
    if (!end) return std::nullopt;
    const Vector2d rod = turned(f.rod, joint);
    const Vector2d rocker = *end - f.rocker;
    const Vector2d link = *end - rod;
    const Vector2d rod_rate = quarter_turned(rod);
    const Vector2d rocker_rate = quarter_turned(rocker);
    const double across = link.dot(rocker_rate);
    if (across == 0) return std::nullopt;
    const double swing = link.dot(rod_rate) / across;
    const Vector2d link_rate = swing * rocker_rate - rod_rate;
    const double swing_rate =
        (link_rate.dot(rod_rate) - link.dot(rod) - swing * (link_rate.dot(rocker_rate) - swing * link.dot(rocker))) /
        across;

    const Vector2d along = *end - f.base;
    const Vector2d end_rate = swing * rocker_rate;
    const Vector2d end_acceleration = swing_rate * rocker_rate - squared(swing) * rocker;
    const double length = std::sqrt(along.squaredNorm() + squared(f.offset));
    const double arm = along.dot(end_rate) / length;
    return Transmission{.position = length - f.closed_length,
                        .arm = arm,
                        .arm_slope = (end_rate.squaredNorm() + along.dot(end_acceleration) - squared(arm)) / length};
}

/// A right-handed frame with z along the axis.
Eigen::Matrix3d plane_of(const Eigen::Vector3d& axis) {
    // For the usual axes x and y of the plane are those of the machine: -y (x forward, z up) and z.
    const Eigen::Vector3d z = axis.normalized();
    Eigen::Vector3d x = Eigen::Vector3d::UnitX() - z.x() * z;
    if (x.norm() < 0.1) x = Eigen::Vector3d::UnitY() - z.y() * z;
    x.normalize();
    Eigen::Matrix3d frame;
    frame << x, z.cross(x), z;
    return frame;
}

std::string range_text(const Limits& limits) {
    std::ostringstream text;
    text << limits.lower << " .. " << limits.upper;
    return text.str();
}

}  // namespace
}  // namespace linkage

Linkage::Linkage(const Machine& machine, std::size_t axis)
    : name_(machine.axes.at(axis).name), joint_index_(machine.axes[axis].joint) {
    const Axis& driven = machine.axes[axis];
    const Joint& joint = machine.joints.at(joint_index_);
    stroke_ = {driven.lower, driven.upper};
    turns_ = joint.kind == JointKind::revolute;
    if (joint.kind == JointKind::fixed)
        throw std::invalid_argument("axis '" + name_ + "' drives the fixed joint '" + joint.name + "'");
    if (!turns_ && !std::holds_alternative<Direct>(driven.drive))
        throw std::invalid_argument("axis '" + name_ + "': a cylinder turns a revolute joint, '" + joint.name +
                                    "' is prismatic");
    if (std::isfinite(joint.lower) && std::isfinite(joint.upper)) middle_ = (joint.lower + joint.upper) / 2;

    // A pin's coordinates in the plane (x, y) and along the axis (z); at joint coordinate 0 both links agree.
    const Eigen::Matrix3d plane = linkage::plane_of(joint.axis);
    frame_ = joint.origin * Eigen::Isometry3d(Eigen::Quaterniond(plane));
    const auto of_parent = [&](const Eigen::Vector3d& pin) -> Eigen::Vector3d { return frame_.inverse() * pin; };
    const auto of_child = [&](const Eigen::Vector3d& pin) -> Eigen::Vector3d { return plane.transpose() * pin; };

    if (const auto* cylinder = std::get_if<Cylinder>(&driven.drive)) {
        const Eigen::Vector3d base = of_parent(cylinder->base), rod = of_child(cylinder->rod);
        base_height_ = base.z();
        rod_height_ = rod.z();
        shape_ = linkage::PlanarCylinder{.base = base.head<2>(),
                                         .rod = rod.head<2>(),
                                         .offset = rod.z() - base.z(),
                                         .closed_length = cylinder->closed_length,
                                         .sign = cylinder->sign};
    } else if (const auto* bar = std::get_if<FourBar>(&driven.drive)) {
        const Eigen::Vector3d base = of_parent(bar->base), rocker = of_parent(bar->rocker), rod = of_child(bar->rod);
        base_height_ = base.z();
        rocker_height_ = rocker.z();
        rod_height_ = rod.z();
        const double in_plane = linkage::squared(bar->rod_length) - linkage::squared(rod.z() - rocker.z());
        if (!(in_plane > 0))
            throw std::invalid_argument("axis '" + name_ + "': the rod is shorter than the offset of its pins");
        shape_ = linkage::PlanarFourBar{.base = base.head<2>(),
                                        .rocker = rocker.head<2>(),
                                        .rod = rod.head<2>(),
                                        .offset = rocker.z() - base.z(),
                                        .rocker_length = bar->rocker_length,
                                        .rod_length = std::sqrt(in_plane),
                                        .closed_length = bar->closed_length,
                                        .sign = bar->sign};
    } else {
        shape_ = std::get<Direct>(driven.drive);
    }
    if (const auto* direct = std::get_if<Direct>(&shape_))
        accept_direct(*direct);
    else
        accept_cylinder();
    joint_limits_ = joint_range(stroke_);
    accepted_joint_ = joint_range(accepted_);
}

void Linkage::accept_direct(const Direct& drive) {
    if (!(std::abs(drive.ratio) > 0) || !std::isfinite(drive.ratio))
        throw std::invalid_argument("axis '" + name_ + "': the ratio must be a number other than 0");
    accepted_ = {stroke_.lower - overtravel, stroke_.upper + overtravel};
}

void Linkage::accept_cylinder() {
    const std::string stroke = "the stroke " + linkage::range_text(stroke_) + " m";
    if (!std::isfinite(stroke_.lower) || !std::isfinite(stroke_.upper) || !(stroke_.lower < stroke_.upper))
        throw std::invalid_argument("axis '" + name_ + "': " + stroke + " is empty or not finite");
    const double middle = (stroke_.lower + stroke_.upper) / 2;
    if (!closes(middle))
        throw std::invalid_argument("axis '" + name_ + "': the linkage does not close in the middle of " + stroke);

    // Dead points inside the stroke show as places where the way back gives another position.
    constexpr int samples = 100;
    for (const double end : {stroke_.lower, stroke_.upper}) {
        double inside = middle;
        for (int i = 1; i <= samples; ++i) {
            const double next = middle + (end - middle) * i / samples;
            if (!closes(next)) {
                std::ostringstream text;
                text << "axis '" << name_ << "': " << stroke << " leaves the linkage, which closes only to "
                     << edge_beyond(inside, next) << " m";
                throw std::invalid_argument(text.str());
            }
            inside = next;
        }
    }
    accepted_ = {edge_beyond(stroke_.lower, stroke_.lower - overtravel),
                 edge_beyond(stroke_.upper, stroke_.upper + overtravel)};
}

Limits Linkage::joint_range(const Limits& positions) const {
    const auto at = [this](double position) {
        return unwrapped(*std::visit([&](const auto& shape) { return linkage::joint_of(shape, position); }, shape_));
    };
    const auto [lower, upper] = std::minmax({at(positions.lower), at(positions.upper)});
    return {lower, upper};
}

bool Linkage::closes(double position) const {
    constexpr double tolerance = 1e-9;
    const auto joint = std::visit([&](const auto& shape) { return linkage::joint_of(shape, position); }, shape_);
    if (!joint) return false;
    const auto back = std::visit([&](const auto& shape) { return linkage::transmission_of(shape, *joint); }, shape_);
    return back && std::abs(back->position - position) < tolerance;
}

/// The last position from `inside` towards `outside` at which the linkage closes.
double Linkage::edge_beyond(double inside, double outside) const {
    if (closes(outside)) return outside;
    constexpr int halvings = 60;
    for (int i = 0; i < halvings; ++i) {
        const double middle = (inside + outside) / 2;
        (closes(middle) ? inside : outside) = middle;
    }
    return inside;
}

double Linkage::unwrapped(double angle) const {
    if (!turns_ || std::holds_alternative<Direct>(shape_)) return angle;
    return middle_ + std::remainder(angle - middle_, 2 * std::numbers::pi);
}

double Linkage::joint(double position) const {
    require_position(position);
    const auto joint = std::visit([&](const auto& shape) { return linkage::joint_of(shape, position); }, shape_);
    return unwrapped(*joint);
}

double Linkage::position(double joint) const { return transmission(joint).position; }

Transmission Linkage::transmission(double joint) const {
    require_joint(joint);
    return *std::visit([&](const auto& shape) { return linkage::transmission_of(shape, joint); }, shape_);
}

Pins Linkage::pins(double joint) const {
    require_joint(joint);
    const auto lifted = [this](const Eigen::Vector2d& pin, double height) -> Eigen::Vector3d {
        return frame_ * Eigen::Vector3d(pin.x(), pin.y(), height);
    };
    if (const auto* c = std::get_if<linkage::PlanarCylinder>(&shape_))
        return {.base = lifted(c->base, base_height_), .end = lifted(linkage::turned(c->rod, joint), rod_height_)};
    if (const auto* f = std::get_if<linkage::PlanarFourBar>(&shape_))
        return {.base = lifted(f->base, base_height_),
                .end = lifted(*linkage::end_of(*f, joint), rocker_height_),
                .rocker = lifted(f->rocker, rocker_height_),
                .rod = lifted(linkage::turned(f->rod, joint), rod_height_)};
    return {};
}

void Linkage::require_position(double position) const {
    if (std::isfinite(position) && accepted_.contain(position)) return;
    std::ostringstream text;
    text << "axis '" << name_ << "': position " << position << " is outside " << linkage::range_text(stroke_);
    throw RangeError(text.str());
}

void Linkage::require_joint(double joint) const {
    if (std::isfinite(joint) && accepted_joint_.contain(joint)) return;
    std::ostringstream text;
    text << "axis '" << name_ << "': joint coordinate " << joint << " is outside "
         << linkage::range_text(joint_limits_);
    throw RangeError(text.str());
}

std::vector<Linkage> linkages(const Machine& machine) {
    std::vector<Linkage> all;
    all.reserve(machine.axes.size());
    for (std::size_t axis = 0; axis < machine.axes.size(); ++axis) all.emplace_back(machine, axis);
    return all;
}

}  // namespace models::kinematics
