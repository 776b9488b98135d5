#pragma once

#include <Eigen/Geometry>

namespace tests {

inline Eigen::Isometry3d at(double x, double y, double z) { return Eigen::Isometry3d(Eigen::Translation3d(x, y, z)); }

}  // namespace tests
