#pragma once

#include "interfaces/machine_file/machine.hpp"

#include <Eigen/Geometry>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace master::report {

/// The pose of one link among x y z qx qy qz qw of all.
[[nodiscard]] Eigen::Isometry3d pose_of(std::span<const double> poses, std::size_t link);

/// What is known at one moment.
struct MachineMoment {
    std::span<const double> poses;          // x y z qx qy qz qw per link
    std::vector<Eigen::Vector3d> wall_top;  // the top of the wall along its length, world; empty without one
};

/// The machine seen from its right side in the frame of link `seen_from`: x to the right, z up; one SVG element per
/// moment, all to the same scale. The wall reaches down to `wall_base` (m, world).
[[nodiscard]] std::vector<std::string> side_views(const interfaces::machine_file::Machine& machine,
                                                  std::size_t seen_from, std::span<const MachineMoment> moments,
                                                  double wall_base = 0);

}  // namespace master::report
