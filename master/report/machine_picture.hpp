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

/// The machine seen from its right side in the frame of link `seen_from`: x to the right, z up; one SVG element per
/// moment, all to the same scale. `moments` hold x y z qx qy qz qw per link.
[[nodiscard]] std::vector<std::string> side_views(const interfaces::machine_file::Machine& machine,
                                                  std::size_t seen_from, std::span<const std::vector<double>> moments);

}  // namespace master::report
