#include "models/machine/hydraulics_simple/servo.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace models::hydraulics_simple {

namespace {

void require(bool holds, const std::string& name, double value, const char* expected) {
    if (holds && std::isfinite(value)) return;
    throw std::runtime_error(name + " = " + std::to_string(value) + ", expected " + expected);
}

void check(const Servo::Parameters& parameters, const PerAxis<std::string_view>& names) {
    const auto positive = [](const std::string& name, double value) {
        require(value > 0, name, value, "a positive number");
    };
    for (std::size_t i = 0; i < parameters.count; ++i) {
        const AxisParameters& axis = parameters.axes[i];
        const std::string name(names[i]);
        positive(name + ".area_a", axis.area_a);
        positive(name + ".area_b", axis.area_b);
        positive(name + ".stiffness", axis.stiffness);
        require(axis.damping >= 0, name + ".damping", axis.damping, "zero or a positive number");
        positive(name + ".speed_extend", axis.speeds.extend);
        positive(name + ".speed_retract", axis.speeds.retract);
        require(true, name + ".initial_force", axis.initial_force, "a finite number");
    }
    positive("lag", parameters.lag);
    positive("supply.max_flow_rate", parameters.supply.max_flow_rate);
    positive("supply.margin", parameters.supply.margin);
    positive("supply.relief_pressure", parameters.supply.relief_pressure);
    require(parameters.back_pressure >= 0 && parameters.back_pressure <= parameters.supply.relief_pressure,
            "back_pressure", parameters.back_pressure, "zero to supply.relief_pressure");
    require(parameters.supply.max_power >= 0, "supply.max_power", parameters.supply.max_power,
            "zero or a positive number");
    require(parameters.supply.max_delivered_power >= 0, "supply.max_delivered_power",
            parameters.supply.max_delivered_power, "zero or a positive number");
}

double force_of(const AxisParameters& axis, double stretch, double relative_speed) {
    return axis.stiffness * stretch + axis.damping * relative_speed;
}

double limited(const AxisParameters& axis, double force, double relief) {
    return std::clamp(force, -relief * axis.area_b, relief * axis.area_a);
}

/// Pressures that give exactly this force: the back pressure opposite the load, less where the relief valve limits.
hydraulics::AxisPressures pressures_of(const AxisParameters& axis, double force, double back, double relief) {
    const double a = (force + back * axis.area_b) / axis.area_a;
    if (a > relief) return {.a = relief, .b = (relief * axis.area_a - force) / axis.area_b};
    if (a >= 0) return {.a = a, .b = back};
    const double b = (back * axis.area_a - force) / axis.area_b;
    if (b > relief) return {.a = (relief * axis.area_b + force) / axis.area_a, .b = relief};
    return {.a = back, .b = b};
}

}  // namespace

void Servo::initialize(double) {
    check(parameters, names);
    state = {};
    for (std::size_t i = 0; i < parameters.count; ++i) {
        const AxisParameters& axis = parameters.axes[i];
        state.reference[i] = inputs[i].position + axis.initial_force / axis.stiffness;
    }
    state.pressure = parameters.supply.margin;
}

void Servo::evaluate(double) {
    const double relief = parameters.supply.relief_pressure;
    for (std::size_t i = 0; i < parameters.count; ++i) {
        const AxisParameters& axis = parameters.axes[i];
        const double force =
            force_of(axis, state.reference[i] - inputs[i].position, state.speed[i] - inputs[i].velocity);
        outputs.force[i] = limited(axis, force, relief);
        const hydraulics::AxisPressures pressures =
            pressures_of(axis, outputs.force[i], parameters.back_pressure, relief);
        outputs.pressure_a[i] = pressures.a;
        outputs.pressure_b[i] = pressures.b;
    }
    outputs.power = state.pressure * state.flow_rate;
}

void Servo::step(double, double h) {
    const hydraulics::SupplyParameters& supply = parameters.supply;
    PerAxis<double> target{};
    double demand = 0, load = 0;
    for (std::size_t i = 0; i < parameters.count; ++i) {
        const AxisParameters& axis = parameters.axes[i];
        target[i] = motion::steady_speed(inputs[i].command, axis.speeds);
        demand += target[i] > 0 ? axis.area_a * target[i] : -axis.area_b * target[i];
        if (target[i] != 0) load = std::max(load, target[i] > 0 ? outputs.pressure_a[i] : outputs.pressure_b[i]);
    }
    state.pressure = std::min(load + supply.margin, supply.relief_pressure);
    double limit = supply.max_flow_rate;
    if (supply.max_power > 0) limit = std::min(limit, supply.max_power / state.pressure);
    const double share = demand > limit ? limit / demand : 1;

    PerAxis<motion::Lagged> followed{};
    double drawn = 0;
    for (std::size_t i = 0; i < parameters.count; ++i) {
        const AxisParameters& axis = parameters.axes[i];
        followed[i] = motion::follow(state.speed[i], share * target[i], parameters.lag, h);
        drawn += followed[i].speed > 0 ? axis.area_a * followed[i].speed : -axis.area_b * followed[i].speed;
    }
    // The speeds lag behind a limit that the pressure lowers: what the pump delivers is limited as well.
    const double leak = supply.leak * state.pressure;
    double delivered = 1;
    if (supply.max_delivered_power > 0 && drawn > 0)
        delivered = std::clamp((supply.max_delivered_power / state.pressure - leak) / drawn, 0.0, 1.0);
    state.flow_rate = leak + delivered * drawn;
    for (std::size_t i = 0; i < parameters.count; ++i) {
        const AxisParameters& axis = parameters.axes[i];
        const AxisInputs& input = inputs[i];
        const motion::Lagged next{.speed = delivered * followed[i].speed, .distance = delivered * followed[i].distance};
        state.speed[i] = next.speed;
        // A limited axis does not wind up its reference.
        const double position = input.position + input.position_slope * h;
        const double slip = axis.damping * (next.speed - (input.velocity + input.velocity_slope * h));
        const double wanted = axis.stiffness * (state.reference[i] + next.distance - position) + slip;
        const double force = limited(axis, wanted, supply.relief_pressure);
        state.reference[i] =
            force == wanted ? state.reference[i] + next.distance : position + (force - slip) / axis.stiffness;
    }
}

}  // namespace models::hydraulics_simple
