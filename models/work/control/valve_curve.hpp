#pragma once

#include "models/machine/motion/speed_curve.hpp"

namespace models::control {

/// The valve command that gives a steady speed: the inverse of motion::steady_speed, with the dead zone jumped over; 0
/// for speed 0, at most 1 in size.
[[nodiscard]] double command_for(double speed, const motion::Speeds& full);

}  // namespace models::control
