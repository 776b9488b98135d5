#include "models/work/control/ecu.hpp"

#include "models/work/control/tuning.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace models::control {

using kinematics::Sensors;

namespace {

void require_positive(const std::string& name, double value) {
    if (value > 0 && std::isfinite(value)) return;
    throw std::runtime_error(name + " = " + std::to_string(value) + ", expected a positive number");
}

}  // namespace

Ecu::Ecu(const kinematics::Machine& machine) : sensors_(machine), joint_count_(machine.joints.size()) {
    inputs.readings = sensors_.middle();
    if (joint_count_ > 64) throw std::invalid_argument("machine '" + machine.name + "' has more than 64 joints");
    for (std::size_t i = 0; i < sensors_.axis_count(); ++i) {
        if (machine.axes[i].name == "jaw") jaw_ = i;
        if (sensors_.kind(i) == Sensors::Kind::none && i != jaw_)
            throw std::invalid_argument("axis '" + machine.axes[i].name + "' of machine '" + machine.name +
                                        "' has no sensor, only 'jaw' is driven open loop");
    }
    if (jaw_ == Sensors::most_axes) return;
    parameters.jaw.lower = sensors_.axes()[jaw_].stroke().lower;
    parameters.jaw.upper = sensors_.axes()[jaw_].stroke().upper;
}

void Ecu::initialize(double) {
    require_positive("period", parameters.period);
    require_positive("stop_time", parameters.stop_time);
    for (std::size_t i = 0; i < sensors_.axis_count(); ++i) {
        const std::string& name = sensors_.axes()[i].name();
        const motion::Speeds& speeds = i == jaw_ ? parameters.jaw.speeds : parameters.axes[i].speeds;
        require_positive(name + ".speed_extend", speeds.extend);
        require_positive(name + ".speed_retract", speeds.retract);
        if (i == jaw_) continue;
        require_positive(name + ".acceleration", parameters.axes[i].acceleration);
        require_positive(name + ".proportional_gain", parameters.axes[i].proportional_gain);
        require_positive(name + ".tolerance", parameters.axes[i].tolerance);
    }
    require_positive("jaw.relief_pressure", parameters.jaw.relief_pressure);
    state = {};
    outputs = {};
}

void Ecu::step(double, double h) {
    check_inputs();
    measure();
    if (!inputs.enable) state.failed_axis = -1;
    if (!inputs.enable || state.misread || state.failed_axis >= 0) return fade(h);
    if (!state.active) switch_on();
    take_targets();
    control(h);
}

void Ecu::check_inputs() const {
    const auto check = [](const std::string& name, double value) {
        if (!std::isfinite(value)) throw std::runtime_error("input '" + name + "' is not a number");
    };
    for (std::size_t i = 0; i < sensors_.axis_count(); ++i) {
        if (!std::isfinite(inputs.target[i])) check(sensors_.axes()[i].name() + ".target", inputs.target[i]);
        if (i != jaw_ && !std::isfinite(inputs.readings.values[i]))
            check(sensors_.signal(i).name, inputs.readings.values[i]);
    }
    if (!std::isfinite(inputs.readings.pitch + inputs.readings.roll)) check("pitch or roll", NAN);
}

void Ecu::measure() {
    // Sensors are sampled more slowly than this unit steps.
    if (state.has_position && inputs.readings == state.converted) return;
    state.converted = inputs.readings;
    state.has_position = true;
    try {
        convert(inputs.readings, state.position);
        state.misread = false;
    } catch (const kinematics::RangeError&) {
        state.misread = true;
    }
}

void Ecu::convert(const Sensors::Readings& readings, PerAxis<double>& position) const {
    std::array<double, 64> joints{};
    sensors_.convert(readings, std::span(joints).first(joint_count_), position);
}

std::string Ecu::explanation() const {
    if (outputs.status != Status::fault) return "";
    if (state.misread) {
        PerAxis<double> position = state.position;
        try {
            convert(state.converted, position);
        } catch (const kinematics::RangeError& error) {
            return std::string("no pose of the machine gives these readings: ") + error.what();
        }
    }
    const auto axis = static_cast<std::size_t>(state.failed_axis);
    return "axis '" + sensors_.axes()[axis].name() + "' is at " + std::to_string(state.position[axis]) +
           " and does not follow to " + std::to_string(state.reference[axis].position);
}

void Ecu::switch_on() {
    state.active = true;
    for (std::size_t i = 0; i < sensors_.axis_count(); ++i) {
        state.reference[i].rest_at(state.position[i]);
        state.controller[i] = {};
        state.target[i] = i == jaw_ ? inputs.target[i] : state.position[i];
    }
    if (jaw_ == Sensors::most_axes) return;
    // Where the jaw is shows when it first reaches an end; until then it is taken as closed, so that it opens enough.
    state.jaw.begin(parameters.jaw.upper);
    state.jaw.aim(inputs.target[jaw_], parameters.jaw);
}

void Ecu::fade(double h) {
    state.active = false;
    for (double& command : outputs.command) {
        const double most = h / parameters.stop_time;
        command = std::clamp(0.0, command - most, command + most);
    }
    const bool failed = inputs.enable && (state.misread || state.failed_axis >= 0);
    outputs.status = failed ? Status::fault : Status::disabled;
}

void Ecu::take_targets() {
    bool fresh = false;
    for (std::size_t i = 0; i < sensors_.axis_count(); ++i)
        if (i != jaw_ && inputs.target[i] != state.target[i]) fresh = true;
    if (jaw_ < Sensors::most_axes && inputs.target[jaw_] != state.target[jaw_])
        state.jaw.aim(inputs.target[jaw_], parameters.jaw);
    for (std::size_t i = 0; i < sensors_.axis_count(); ++i) {
        state.target[i] = inputs.target[i];
        if (i == jaw_ || !fresh) continue;
        const kinematics::Limits& stroke = sensors_.axes()[i].stroke();
        const double target = std::clamp(inputs.target[i], stroke.lower, stroke.upper);
        if (target == state.reference[i].goal() && state.reference[i].rests()) continue;
        state.reference[i].aim(target, parameters.period, limits(i, target));
    }
}

void Ecu::control(double h) {
    bool rests = true;
    for (std::size_t i = 0; i < sensors_.axis_count(); ++i) {
        if (i == jaw_) continue;
        Reference& reference = state.reference[i];
        AxisController& controller = state.controller[i];
        reference.step(h);
        controller.step(h, reference, state.position[i], parameters.axes[i]);
        outputs.command[i] = controller.command;
        rests = rests && controller.arrived;
        if (controller.failed(parameters.axes[i])) state.failed_axis = static_cast<int>(i);
    }
    if (jaw_ < Sensors::most_axes) {
        state.jaw.step(h, inputs.jaw_pressures, parameters.jaw);
        outputs.command[jaw_] = state.jaw.command;
        rests = rests && state.jaw.rests();
    }
    outputs.status = rests ? Status::ready : Status::moving;
    if (state.failed_axis >= 0) outputs.status = Status::fault;
}

ReferenceLimits Ecu::limits(std::size_t axis, double target) const {
    const auto& [extend, retract] = parameters.axes[axis].speeds;
    const double speed = target > state.reference[axis].position ? extend : retract;
    // Some speed is left for the error.
    return {.speed = 0.95 * speed, .acceleration = parameters.axes[axis].acceleration};
}

void tune(Ecu& ecu) {
    for (std::size_t i = 0; i < ecu.sensors().axis_count(); ++i) {
        const Tuning tuning = tuning_of(ecu.sensors().axes()[i].name());
        AxisParameters& axis = ecu.parameters.axes[i];
        axis.speeds = tuning.speeds;
        axis.acceleration = tuning.acceleration;
        axis.tolerance = tuning.tolerance;
        axis.largest_error = tuning.largest_error;
        if (ecu.is_jaw(i)) ecu.parameters.jaw.speeds = tuning.speeds;
    }
}

}  // namespace models::control
