#pragma once

#include "models/machine/kinematics/tree.hpp"

#include <cmath>
#include <vector>

namespace tests {

inline Eigen::Isometry3d tool_at(const models::kinematics::Machine& machine, const models::kinematics::Base& base,
                                 const std::vector<double>& joints) {
    const models::kinematics::Tree tree(machine);
    std::vector<Eigen::Isometry3d> poses(tree.link_count());
    tree.place(base, joints, poses);
    return tree.tool(poses);
}

inline double distance(const Eigen::Isometry3d& a, const Eigen::Isometry3d& b) {
    return (a.matrix() - b.matrix()).norm();
}

/// The tool straight down, its chamber along the rim, `ahead` of a machine at azimuth 0; `bottom` of the chamber above
/// the rim.
inline Eigen::Isometry3d on_the_wall(const models::kinematics::Machine& machine, double ahead, double bottom) {
    constexpr double radius = 30;
    const double azimuth = ahead / radius;
    Eigen::Isometry3d pose(Eigen::AngleAxisd(azimuth, Eigen::Vector3d::UnitZ()));
    pose = pose * Eigen::Translation3d(radius, 0, bottom + machine.tool_box.z() / 2);
    return pose * Eigen::AngleAxisd(std::acos(-1.0) / 2, Eigen::Vector3d::UnitZ());
}

}  // namespace tests
