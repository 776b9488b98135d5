#pragma once

#include "models/machine/kinematics/machine.hpp"

#include <cstddef>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace models::kinematics {

/// A position or a joint coordinate that a linkage cannot take; the text names the axis and its limits.
class RangeError : public std::out_of_range {
public:
    using std::out_of_range::out_of_range;
};

struct Limits {
    double lower = 0, upper = 0;
    [[nodiscard]] bool contain(double value) const { return value >= lower && value <= upper; }
};

/// How an axis moves its joint at one joint coordinate q.
struct Transmission {
    double position = 0;
    double arm = 0;        // d position / d q: the moment arm of the axis' force; velocity = arm x joint velocity
    double arm_slope = 0;  // d arm / d q
};

/// The pins of a linkage in the frame of the joint's parent link, for pictures and checks. Cylinder: `base` and `end`.
/// Four-bar: the cylinder is `base` to `end` (J), the rocker `rocker` to `end`, the rod `rod` to `end`.
struct Pins {
    Eigen::Vector3d base = Eigen::Vector3d::Zero(), end = Eigen::Vector3d::Zero();
    Eigen::Vector3d rocker = Eigen::Vector3d::Zero(), rod = Eigen::Vector3d::Zero();
};

namespace linkage {

/// The pins of a cylinder in the plane perpendicular to the joint's axis, which passes through the origin.
struct PlanarCylinder {
    Eigen::Vector2d base = Eigen::Vector2d::Zero(), rod = Eigen::Vector2d::Zero();
    double offset = 0;  // of the pins along the axis
    double closed_length = 0;
    double sign = 1;
};

struct PlanarFourBar {
    Eigen::Vector2d base = Eigen::Vector2d::Zero(), rocker = Eigen::Vector2d::Zero(), rod = Eigen::Vector2d::Zero();
    double offset = 0;                         // of base and rocker along the axis
    double rocker_length = 0, rod_length = 0;  // in the plane
    double closed_length = 0;
    double sign = -1;
};

}  // namespace linkage

/// An axis and its joint: position <-> joint coordinate in closed form, on the assembly that the machine has.
///
/// Accepted are the stroke and, because end stops give way a little, up to `overtravel` beyond it as long as the
/// linkage closes there without passing a dead point; everything else is a RangeError, and no result is ever NaN.
class Linkage {
public:
    static constexpr double overtravel = 0.02;

    /// Throws std::invalid_argument, naming the axis, if the linkage does not close over the whole stroke or if joint
    /// and position are not a one-to-one relation over it.
    Linkage(const Machine& machine, std::size_t axis);

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] std::size_t joint_index() const { return joint_index_; }
    [[nodiscard]] const Limits& stroke() const { return stroke_; }
    /// The positions that are accepted: the stroke and what an end stop may give way.
    [[nodiscard]] const Limits& accepted() const { return accepted_; }
    /// What the joint reaches over the stroke.
    [[nodiscard]] const Limits& joint_limits() const { return joint_limits_; }

    [[nodiscard]] double joint(double position) const;
    [[nodiscard]] double position(double joint) const;
    [[nodiscard]] Transmission transmission(double joint) const;
    [[nodiscard]] Pins pins(double joint) const;

private:
    using Shape = std::variant<Direct, linkage::PlanarCylinder, linkage::PlanarFourBar>;

    void accept_direct(const Direct& drive);
    void accept_cylinder();
    [[nodiscard]] Limits joint_range(const Limits& positions) const;
    [[nodiscard]] bool closes(double position) const;
    [[nodiscard]] double edge_beyond(double inside, double outside) const;
    [[nodiscard]] double unwrapped(double angle) const;
    void require_position(double position) const;
    void require_joint(double joint) const;

    std::string name_;
    std::size_t joint_index_ = 0;
    Shape shape_;
    bool turns_ = true;  // a revolute joint
    double middle_ = 0;  // joint angles are counted within half a turn of this one
    Limits stroke_, joint_limits_;
    Limits accepted_, accepted_joint_;
    Eigen::Isometry3d frame_ = Eigen::Isometry3d::Identity();  // plane (x, y) and axis (z) in the parent link's frame
    double base_height_ = 0, rocker_height_ = 0, rod_height_ = 0;  // of the pins along the axis
};

/// One linkage per axis, in the machine's order.
[[nodiscard]] std::vector<Linkage> linkages(const Machine& machine);

}  // namespace models::kinematics
