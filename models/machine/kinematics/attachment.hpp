#pragma once

#include "models/machine/kinematics/linkage.hpp"
#include "models/machine/kinematics/tree.hpp"

#include <optional>
#include <span>

namespace models::kinematics {

/// Closed-form inverse kinematics of an excavator's attachment: [slew -] boom [- adjust] - arm - coupler [- rotate -]
/// tool, where boom to coupler turn about parallel axes, slew about an axis in their plane, and rotate about a line
/// through the tool point in their plane. Joints further in (travel) and off the way (jaw) are taken as they are.
///
/// With two pieces of boom one angle is free. Rule: the adjustable boom takes the angle at which the joint closest to
/// one of its limits is farthest from it, measured in parts of its range; so poses keep away from end stops, and
/// neighbouring poses have neighbouring angles.
class Attachment {
public:
    /// Throws std::invalid_argument, saying what is missing, if the machine has no such attachment.
    explicit Attachment(const Machine& machine);

    struct Solution {
        double margin = 0;  // to the closest limit, in parts of that joint's range; negative: out of reach by so much
        double lean = 0;    // rad, by which the tool's axis cannot follow the target, out of the attachment's plane
        [[nodiscard]] bool inside() const { return margin >= 0; }
    };

    /// Joints for a tool pose (world); empty if the arm is too short or too long for it. `joints` holds one coordinate
    /// per joint of the machine: the attachment's are set, the others read.
    [[nodiscard]] std::optional<Solution> solve(const Base& base, const Eigen::Isometry3d& target,
                                                std::span<double> joints) const;
    /// The same with a given angle of the adjustable boom.
    [[nodiscard]] std::optional<Solution> solve(const Base& base, const Eigen::Isometry3d& target, double adjust,
                                                std::span<double> joints) const;

private:
    struct Driven {
        std::size_t joint = 0;
        Limits limits;
    };
    /// A target as the attachment sees it: in the plane of boom to coupler.
    struct Planar {
        double slew = 0, rotate = 0, lean = 0;
        Eigen::Vector2d wrist = Eigen::Vector2d::Zero();  // the coupler's pin
        double sum = 0;                                   // of the angles from boom to coupler
    };
    struct Angles {
        double boom = 0, arm = 0, coupler = 0;
    };

    void find_joints(const Machine& machine);
    void measure(const Machine& machine);
    [[nodiscard]] Eigen::Isometry3d stand(const Base& base, std::span<const double> joints) const;
    [[nodiscard]] Planar planar(const Eigen::Isometry3d& target) const;
    [[nodiscard]] std::optional<Angles> angles(const Planar& target, double adjust) const;
    [[nodiscard]] std::optional<double> margin(const Planar& target, double adjust) const;
    [[nodiscard]] double best_adjust(const Planar& target) const;
    [[nodiscard]] std::optional<Solution> finish(const Planar& target, double adjust, std::span<double> joints) const;

    static constexpr std::size_t most_links = 64;
    Tree tree_;
    std::optional<Driven> slew_, adjust_, rotate_;
    Driven boom_, arm_, coupler_;
    std::size_t stand_joint_ = 0;  // the first joint of the attachment: its frame before it turns
    Eigen::Isometry3d stand_origin_ = Eigen::Isometry3d::Identity();
    std::size_t stand_parent_ = 0;
    // In the stand's frame, with all joints at 0: the plane (along, up) and the hinges' axis.
    Eigen::Vector3d along_ = Eigen::Vector3d::UnitX(), up_ = Eigen::Vector3d::UnitZ(),
                    hinge_ = Eigen::Vector3d::UnitY();
    Eigen::Vector2d boom_pin_ = Eigen::Vector2d::Zero(), main_ = Eigen::Vector2d::Zero(),
                    adjustable_ = Eigen::Vector2d::Zero(), arm_vector_ = Eigen::Vector2d::Zero(),
                    tool_ = Eigen::Vector2d::Zero();
    Eigen::Vector3d tool_axis_ = Eigen::Vector3d::UnitZ();     // in the tool's frame: rotate turns about it
    double tool_axis_angle_ = 0;                               // of that axis in the plane
    Eigen::Matrix3d tool_turn_ = Eigen::Matrix3d::Identity();  // of the tool in the stand's frame
};

}  // namespace models::kinematics
