#pragma once

#include <Eigen/Geometry>
#include <cstdint>
#include <span>
#include <string>

namespace master::report {

/// What is known at one moment.
struct CloudMoment {
    std::span<const std::uint8_t> points;  // as interfaces/point_cloud encodes them
    Eigen::Isometry3d sensor = Eigen::Isometry3d::Identity(), frame = Eigen::Isometry3d::Identity();
    double radius = 1;  // of the wall's face
    std::span<const double> edge, valid;
    double edge_start = 0, edge_span = 0;  // rad ahead of the frame
};

/// Points within a metre of the wall's face, and the valid parts of the edge, over the way ahead of the machine.
[[nodiscard]] std::string cloud_view(const CloudMoment& moment);

}  // namespace master::report
