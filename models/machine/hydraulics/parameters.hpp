#pragma once

#include <array>
#include <cstddef>
#include <numbers>
#include <string_view>

/// A load-sensing hydraulic plant with any list of axes up to `most_axes`: one pump with its supply line, and for each
/// axis a proportional valve and a cylinder or motor. SI units, tank pressure 0.
namespace models::hydraulics {

inline constexpr std::size_t most_axes = 8;
template <class T>
using PerAxis = std::array<T, most_axes>;

/// A cylinder (or motor) and its valve. Chamber A extends (turns forward), chamber B retracts. For a rotary motor areas
/// are displacements in m3/rad and `stroke` is of no use.
struct AxisParameters {
    bool motor = false;  // chambers of constant size
    double area_a = 0.0173180295029137, area_b = 0.0096211275016187;
    double stroke = 0.5;
    double dead_volume_a = 1e-3, dead_volume_b = 1e-3;
    // Flow through the open valve per root of the pressure difference: pump to chamber, chamber to tank.
    double gain_pa = 1.6329931618554522e-06, gain_pb = 1e-6, gain_at = 0.8e-6, gain_bt = 0.9797958971132712e-06;
    // Counterbalance valve behind a chamber: its set pressure, 0 for none.
    double counterbalance_a = 0, counterbalance_b = 0;
    double counterbalance_gain = 2e-6;
    double initial_force = 0;  // force (torque) at the start
};

struct ValveParameters {
    double frequency = 2 * std::numbers::pi * 10;  // of the spool, rad/s
    double damping = 0.8;
    double dead_zone = 0.15;
    // The load-sensing edge opens over this last part of the dead zone; 0: it jumps open at the end of the dead zone.
    double sensing_overlap = 0;
    double laminar_pressure = 1e5;  // below this difference the flow is rather linear than a root
    double pilot_ratio = 4;         // of the counterbalance valves
    double counterbalance_band = 0.1;
};

struct OilParameters {
    double bulk_modulus = 1e9;
    double internal_leak = 1e-13, external_leak = 5e-14;  // chamber to chamber, chamber to tank, m3/(s Pa)
    double suction_gain = 1e-8;                           // of the anti-cavitation valves
    // Relief valve of each chamber; a gain of 0 leaves it out.
    double port_pressure = 32e6, port_gain = 0;
};

struct SupplyParameters {
    double volume = 3e-3;
    double max_flow_rate = 160e-3 / 60;
    double gain = 1.333e-9;  // flow per missing pressure
    double margin = 2e6;     // of the pump above the highest load
    double lag = 0.02;
    double relief_pressure = 28e6, relief_gain = 1.3335e-9;
    double leak = 4e-12;
    // Power limits, 0 for none: of the flow that is demanded, which the lag then delays, and of what leaves the pump.
    double max_power = 0, max_delivered_power = 0;
};

struct Parameters {
    std::size_t count = 1;
    PerAxis<AxisParameters> axes{};
    ValveParameters valve;
    OilParameters oil;
    SupplyParameters supply;
};

/// Throws std::runtime_error naming the parameter, what was found and what was expected.
void check(const Parameters& parameters, const PerAxis<std::string_view>& names);

/// What the plant exchanges with the rest of the machine.
struct AxisPressures {
    double a = 0, b = 0;
};

/// Pressures that give `force`: `back` in the chamber that does not carry the load.
[[nodiscard]] AxisPressures holding_pressures(const AxisParameters& axis, double force, double back = 0.5e6);

}  // namespace models::hydraulics
