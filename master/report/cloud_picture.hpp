#pragma once

#include "master/report/report_file.hpp"

#include <Eigen/Geometry>
#include <cstdint>
#include <span>
#include <string>

namespace master::report {

/// What is known at one moment.
struct CloudMoment {
    std::span<const std::uint8_t> points;  // as interfaces/point_cloud encodes them
    Eigen::Isometry3d sensor = Eigen::Isometry3d::Identity(), frame = Eigen::Isometry3d::Identity();
    std::span<const double> edge, valid;
};

/// Points within a metre of the wall's face, and the valid parts of the edge, over the way ahead of the machine.
[[nodiscard]] std::string cloud_view(const CloudPicture& picture, const CloudMoment& moment);

}  // namespace master::report
