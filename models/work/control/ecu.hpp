#pragma once

#include "models/machine/kinematics/sensors.hpp"
#include "models/work/control/axis_controller.hpp"
#include "models/work/control/jaw.hpp"

#include <tuple>

namespace models::control {

enum class Status : std::int64_t { disabled = 0, ready = 1, moving = 2, fault = 3 };

/// The controller of all axes of a machine: measured angles and lengths and target positions in, valve commands out.
/// The axis called `jaw` is driven open loop; every other axis must have a sensor.
class Ecu {
public:
    template <class T>
    using PerAxis = std::array<T, kinematics::Sensors::most_axes>;

    Ecu() = default;
    /// Throws std::invalid_argument, naming the axis, for one that has no sensor and is not the jaw.
    explicit Ecu(const kinematics::Machine& machine);

    /// Throws std::runtime_error naming a parameter out of range.
    void initialize(double t);
    /// Throws std::runtime_error for an input that is no number.
    void step(double t, double h);
    /// Why the status is `fault`, with what was found and what was expected; empty without one.
    [[nodiscard]] std::string explanation() const;

    [[nodiscard]] const kinematics::Sensors& sensors() const { return sensors_; }
    [[nodiscard]] bool is_jaw(std::size_t axis) const { return axis == jaw_; }

    struct Parameters {
        PerAxis<AxisParameters> axes{};  // the jaw's own are in `jaw`
        JawParameters jaw;
        double period = 0.1;     // s, between two targets
        double stop_time = 0.1;  // s, in which commands fade when the controller is switched off
    } parameters;
    struct Inputs {
        PerAxis<double> target{};
        kinematics::Sensors::Readings readings;
        JawPressures jaw_pressures;
        bool enable = false;
    } inputs;
    struct Outputs {
        PerAxis<double> command{};
        Status status = Status::disabled;
    } outputs;
    struct State {
        PerAxis<double> position{};  // as measured
        PerAxis<double> target{};    // the last ones seen
        PerAxis<Reference> reference{};
        PerAxis<AxisController> controller{};
        Jaw jaw;
        kinematics::Sensors::Readings converted;  // what `position` was computed from
        bool has_position = false, active = false;
        bool misread = false;  // no pose of the machine gives these readings
        int failed_axis = -1;  // the one that does not follow
    } state;
    auto members() { return std::tie(parameters, inputs, outputs, state); }

private:
    void check_inputs() const;
    void measure();
    void convert(const kinematics::Sensors::Readings& readings, PerAxis<double>& position) const;
    void switch_on();
    void fade(double h);
    void take_targets();
    void control(double h);
    [[nodiscard]] ReferenceLimits limits(std::size_t axis, double target) const;

    kinematics::Sensors sensors_;
    std::size_t joint_count_ = 0;
    std::size_t jaw_ = kinematics::Sensors::most_axes;
};

/// Gives every axis that control::tuning_of knows its numbers.
void tune(Ecu& ecu);

}  // namespace models::control
