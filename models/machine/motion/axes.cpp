#include "models/machine/motion/axes.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace models::motion {

namespace {

void require_positive(const std::string& name, double value) {
    if (value > 0 && std::isfinite(value)) return;
    throw std::runtime_error(name + " = " + std::to_string(value) + ", expected a positive number");
}

}  // namespace

void Axes::initialize(double) {
    require_positive("lag", parameters.lag);
    require_positive("relief_pressure", parameters.relief_pressure);
    state = {};
    for (std::size_t i = 0; i < parameters.count; ++i) {
        const AxisParameters& axis = parameters.axes[i];
        const std::string name(names[i]);
        require_positive(name + ".speed_extend", axis.speeds.extend);
        require_positive(name + ".speed_retract", axis.speeds.retract);
        if (axis.limited) require_positive(name + ".stroke", axis.stroke);
        if (axis.limited && !(axis.lower >= 0 && axis.lower < axis.stroke))
            throw std::runtime_error(std::string(name)
                                         .append(".lower = ")
                                         .append(std::to_string(axis.lower))
                                         .append(", expected 0 to ")
                                         .append(name)
                                         .append(".stroke = ")
                                         .append(std::to_string(axis.stroke)));
        const bool inside =
            !axis.limited || (axis.initial_position >= axis.lower && axis.initial_position <= axis.stroke);
        if (!std::isfinite(axis.initial_position) || !inside)
            throw std::runtime_error(name + ".initial_position = " + std::to_string(axis.initial_position) +
                                     ", expected " + std::to_string(axis.lower) + " to " + std::to_string(axis.stroke) +
                                     ", the ends of the stroke");
        state.position[i] = axis.initial_position;
    }
}

void Axes::step(double, double h) {
    for (std::size_t i = 0; i < parameters.count; ++i) {
        const AxisParameters& axis = parameters.axes[i];
        const double target = steady_speed(command[i], axis.speeds);
        const Lagged next = follow(state.velocity[i], target, parameters.lag, h);
        const double position = state.position[i] + next.distance;
        const bool at_top = axis.limited && position >= axis.stroke, at_bottom = axis.limited && position <= axis.lower;
        state.position[i] = axis.limited ? std::clamp(position, axis.lower, axis.stroke) : position;
        state.velocity[i] = at_top || at_bottom ? 0 : next.speed;
        state.pressure_a[i] = at_top && target > 0 ? parameters.relief_pressure : 0;
        state.pressure_b[i] = at_bottom && target < 0 ? parameters.relief_pressure : 0;
    }
}

}  // namespace models::motion
