#pragma once

namespace models::motion {

/// Speeds of an axis at full command, both positive.
struct Speeds {
    double extend = 0, retract = 0;
};

/// The steady speed of a valve-controlled axis at a command: the shape found for the boom of a 10 t excavator on its
/// load-sensing pump, scaled to the axis; 0 inside the dead zone of 0.15, constant beyond full command.
[[nodiscard]] double steady_speed(double command, const Speeds& full);

/// Lag of the speed behind the command: twice the damping ratio of a spool over its natural frequency.
inline constexpr double usual_lag = 0.0255;

/// A speed that follows its target with a lag, over a step.
struct Lagged {
    double speed = 0, distance = 0;
};
[[nodiscard]] Lagged follow(double speed, double target, double lag, double h);

}  // namespace models::motion
