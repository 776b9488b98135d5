#pragma once

#include "models/machine/motion/speed_curve.hpp"
#include "models/work/control/reference.hpp"

namespace models::control {

struct AxisParameters {
    motion::Speeds speeds{.extend = 0.0867162064979194, .retract = 0.11262686804157711};  // at full command
    double acceleration = 0.5;                                                            // of the reference
    double lag = motion::usual_lag;
    // A boom on its oil swings at 3 to 6 Hz with little damping; from about 3 1/s on the loop keeps it swinging.
    double proportional_gain = 2;  // 1/s: speed per position error
    double integral_gain = 0.5;    // 1/s^2
    double tolerance = 5e-4;       // at rest the valve closes within this error and opens again beyond three times it
    double largest_error = 0.1;    // a following error beyond it, for longer than `patience`, is a fault
    double patience = 1;           // s
};

/// Position control of one valve-driven axis: the speed of the reference, what the error asks for in addition
/// (proportional and integral, without windup), and the inverse valve curve, which also jumps over the dead zone.
struct AxisController {
    double integral = 0;  // a speed
    double command = 0;
    double overdue = 0;   // s, since the error is too large
    bool holds = true;    // the valve is closed
    bool arrived = true;  // at rest near the target, though the valve may still creep there

    void step(double h, const Reference& reference, double position, const AxisParameters& parameters);
    [[nodiscard]] bool failed(const AxisParameters& parameters) const { return overdue > parameters.patience; }
};

}  // namespace models::control
