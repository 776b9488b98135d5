#pragma once

#include "models/machine/kinematics/machine.hpp"

#include <optional>

namespace models::collision {

using Shape = std::variant<kinematics::Box, kinematics::Capsule>;

/// Points on both surfaces, `depth` apart, along which two overlapping shapes separate soonest.
struct Overlap {
    double depth = 0;
    Eigen::Vector3d on_first = Eigen::Vector3d::Zero(), on_second = Eigen::Vector3d::Zero();
};

/// Nothing if the shapes do not overlap.
[[nodiscard]] std::optional<Overlap> overlap(const Shape& first, const Eigen::Isometry3d& first_pose,
                                             const Shape& second, const Eigen::Isometry3d& second_pose);

}  // namespace models::collision
