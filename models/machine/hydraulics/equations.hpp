#pragma once

#include "models/machine/hydraulics/parameters.hpp"

namespace models::hydraulics {

/// Where the oil is: the stiff part of the state.
struct Fluid {
    PerAxis<double> a{}, b{};  // chamber pressures
    double supply = 0;         // pressure behind the pump
    double flow_rate = 0;      // of the pump's displacement
};

/// The spools move by their commands alone: linear, and known in advance.
struct Spools {
    PerAxis<double> position{}, velocity{};
};

/// Energies since the start. pump = all the others together.
struct Energy {
    double pump = 0, throttle_in = 0, throttle_out = 0, leak = 0, relief = 0, compression = 0, work = 0;
};

/// What the machine imposes. Inside a step the velocity is a straight line and the position its integral, so that the
/// two cannot disagree.
struct AxisInputs {
    double command = 0, position = 0, velocity = 0;
    double position_slope = 0;  // not used: the position follows the velocity
    double velocity_slope = 0;
};
using Inputs = PerAxis<AxisInputs>;

/// One instant at which the equations are evaluated: `since` seconds after the inputs were valid.
struct Instant {
    const Parameters& parameters;
    const Inputs& inputs;
    double since = 0;
    const Fluid& fluid;
    const Spools& spools;
};

/// How pressures and energies change.
struct Balance {
    Fluid rates;
    Energy powers;
};
[[nodiscard]] Balance balance(const Instant& instant);

/// What leaves the pump: the flow of its displacement, as far as the limit of the delivered power lets it.
[[nodiscard]] double delivered_flow(const SupplyParameters& supply, const Fluid& fluid);

/// Derivatives of the rates of one axis by its own pressures a and b, the supply pressure p, the sensed load l and time
/// t; and the same for the flow that it draws from the supply.
struct AxisSlopes {
    double aa = 0, ab = 0, ap = 0, al = 0, at = 0;
    double ba = 0, bb = 0, bp = 0, bl = 0, bt = 0;
    double draw_a = 0, draw_b = 0, draw_p = 0, draw_l = 0, draw_t = 0;
};

/// The Jacobian: blocks on the diagonal, one per axis, that see each other only through the supply pressure and the
/// sensed load, which is the pressure of one chamber.
struct Slopes {
    PerAxis<AxisSlopes> axes{};
    double stiffness = 0;                             // of the supply line: pressure rate per flow into it
    double supply_by_supply = 0, supply_by_flow = 0;  // without what the axes draw
    double flow_by_supply = 0, flow_by_flow = 0, flow_by_load = 0;
    std::size_t lead = 0;  // the axis whose pressure is sensed
    bool lead_in_a = true;
    double load_by_lead = 0, load_by_time = 0;
};
[[nodiscard]] Slopes slopes(const Instant& instant);

/// The spools after `h` with constant commands: the exact solution of x'' = w^2 (u - x) - 2 z w x'.
[[nodiscard]] Spools spools_after(const Parameters& parameters, const Inputs& inputs, const Spools& spools, double h);
/// Accelerations of the spools.
[[nodiscard]] PerAxis<double> spool_rates(const Parameters& parameters, const Inputs& inputs, const Spools& spools);

}  // namespace models::hydraulics
