#include "models/work/control/axis_controller.hpp"

#include "models/work/control/valve_curve.hpp"

#include <algorithm>
#include <cmath>

namespace models::control {

void AxisController::step(double h, const Reference& reference, double position, const AxisParameters& parameters) {
    const double error = reference.position - position;
    overdue = std::abs(error) > parameters.largest_error ? overdue + h : 0;
    arrived = reference.rests() && std::abs(error) <= 5 * parameters.tolerance;
    const double quiet = holds ? 3 * parameters.tolerance : parameters.tolerance;
    holds = reference.rests() && std::abs(error) <= quiet;
    if (holds) {
        // A closed valve holds; what the integral has learnt about a speed says nothing about rest.
        integral = 0;
        command = 0;
        return;
    }
    const double ahead = reference.velocity + parameters.lag * reference.acceleration;
    const double speed = ahead + parameters.proportional_gain * error + integral;
    command = command_for(speed, parameters.speeds);
    // Anti-windup: a saturated valve learns only towards the inside, and the integral never becomes the main thing.
    const double full = speed > 0 ? parameters.speeds.extend : parameters.speeds.retract;
    if (std::abs(speed) >= full && speed * error > 0) return;
    integral = std::clamp(integral + h * parameters.integral_gain * error, -0.2 * full, 0.2 * full);
}

}  // namespace models::control
