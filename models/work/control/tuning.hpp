#pragma once

#include "models/machine/motion/speed_curve.hpp"

#include <string_view>

namespace models::control {

/// What controller and planner assume about an axis.
struct Tuning {
    motion::Speeds speeds;      // at full command
    double acceleration = 0.3;  // that its drive follows well
    double tolerance = 5e-4;    // of a position at rest
    double largest_error = 0.1;
};

/// Of the axes of the demolition excavator; an axis with another name is taken as a cylinder like the boom's.
[[nodiscard]] Tuning tuning_of(std::string_view axis);

}  // namespace models::control
