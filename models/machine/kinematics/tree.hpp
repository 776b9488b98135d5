#pragma once

#include "models/machine/kinematics/machine.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace models::kinematics {

/// Where a machine stands: the pose of its root link in the world, and the tilt of its frame against it.
/// Pitch raises the front (x), in the sense of the boom's angles; roll turns about x and raises the left side (y).
struct Base {
    Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
    double pitch = 0, roll = 0;
};

/// The turn by pitch and roll that the tilted link of a machine makes about its own origin.
[[nodiscard]] Eigen::Isometry3d tilt(double pitch, double roll);

/// Forward kinematics: children follow their parents.
class Tree {
public:
    Tree() = default;  // one link and no joints
    explicit Tree(const Machine& machine);

    [[nodiscard]] std::size_t link_count() const { return joints_.size() + 1; }
    [[nodiscard]] std::size_t joint_count() const { return joints_.size(); }

    /// World poses of all links. `joints` holds one coordinate per joint of the machine; those of fixed joints are not
    /// read.
    void place(const Base& base, std::span<const double> joints, std::span<Eigen::Isometry3d> poses) const;

    /// The tool point, given the links' poses. A machine without a tool has it at its last link.
    [[nodiscard]] Eigen::Isometry3d tool(std::span<const Eigen::Isometry3d> poses) const {
        return poses[tool_link_] * tool_point_;
    }
    [[nodiscard]] std::size_t tool_link() const { return tool_link_; }

private:
    struct Step {
        Eigen::Isometry3d origin;
        Eigen::Vector3d axis;
        std::size_t parent = 0;
        JointKind kind = JointKind::fixed;
    };
    std::vector<Step> joints_;
    std::size_t tilted_ = 0;
    std::size_t tool_link_ = 0;
    Eigen::Isometry3d tool_point_ = Eigen::Isometry3d::Identity();
};

/// x y z qx qy qz qw, with qw >= 0.
[[nodiscard]] std::array<double, 7> values_of(const Eigen::Isometry3d& pose);

}  // namespace models::kinematics
