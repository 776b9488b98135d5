#pragma once

#include "models/machine/kinematics/linkage.hpp"
#include "models/machine/kinematics/tree.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace models {

/// Joints from a tool pose by damped least squares with limits, for any tree (kinematics::Attachment has the closed
/// form for excavators). Nothing is allocated in `solve`.
class InverseKinematics {
public:
    struct Options {
        int iterations = 300;
        double position_tolerance = 1e-9;     // m
        double orientation_tolerance = 1e-9;  // rad
        double orientation_weight = 1;        // m per rad: how much an angle counts against a distance
    };
    struct Result {
        bool reached = false;
        double position_error = 0, orientation_error = 0;  // m, rad
        int iterations = 0;
    };

    /// Moves the joints of `axes` (names; none: all axes on the way to the tool). Throws std::invalid_argument for a
    /// name that is no axis, or that does not move the tool.
    explicit InverseKinematics(const kinematics::Machine& machine, const std::vector<std::string>& axes = {});

    /// Brings the tool point towards `target` (world), starting at `joints`, which holds one coordinate per joint of
    /// the machine and takes the best ones found; they stay within what the strokes allow. Another start may find
    /// another branch, or a way around a limit.
    Result solve(const kinematics::Base& base, const Eigen::Isometry3d& target, std::span<double> joints,
                 const Options& options) const;
    Result solve(const kinematics::Base& base, const Eigen::Isometry3d& target, std::span<double> joints) const {
        return solve(base, target, joints, {});
    }

private:
    static constexpr int most_joints = 16, most_links = 64;
    struct Free {
        std::size_t joint = 0;
        Eigen::Vector3d axis;
        kinematics::JointKind kind = kinematics::JointKind::revolute;
        kinematics::Limits limits;
    };
    kinematics::Tree tree_;
    std::vector<Free> free_;
};

}  // namespace models
