#pragma once

#include "models/machine/hydraulics/parameters.hpp"
#include "models/machine/motion/speed_curve.hpp"

#include <tuple>

namespace models::hydraulics_simple {

using hydraulics::PerAxis;

struct AxisParameters {
    double area_a = 0.0173180295029137, area_b = 0.0096211275016187;
    double stiffness = 9.4e7, damping = 9.4e5;
    motion::Speeds speeds{.extend = 0.0867162064979194, .retract = 0.11262686804157711};
    double initial_force = 0;
};

/// Hydraulics without pressures as states: each axis is a spring and damper to a reference that its command moves,
/// x_ref' = v_ref(command), F = k (x_ref - x) + d (v_ref - v), limited to relief pressure times area. A closed valve
/// leaves the reference where it is, so that the axis holds its load. Pressures and supply are estimated from the
/// forces.
struct Servo {
    struct Parameters {
        std::size_t count = 1;
        PerAxis<AxisParameters> axes{};
        double lag = motion::usual_lag;
        double back_pressure = 0.5e6;  // in the chamber that carries no load
        hydraulics::SupplyParameters supply;
    } parameters;
    struct AxisInputs {
        double command = 0, position = 0, velocity = 0;
        double position_slope = 0, velocity_slope = 0;
    };
    PerAxis<AxisInputs> inputs{};
    struct State {
        PerAxis<double> reference{}, speed{};
        double pressure = 0, flow_rate = 0;  // of the pump
    } state;
    struct Outputs {
        PerAxis<double> force{}, pressure_a{}, pressure_b{};
        double power = 0;
    } outputs;
    PerAxis<std::string_view> names{};  // for messages

    /// Throws std::runtime_error naming a parameter out of range; the reference starts at x + F / k.
    void initialize(double t);
    void evaluate(double t);
    void step(double t, double h);
    auto members() { return std::tie(parameters, inputs, state, outputs); }
};

}  // namespace models::hydraulics_simple
