#include "fmus/machine/hydraulics/hydraulics_unit.hpp"

namespace fmus {

namespace {

constexpr const char* gain_unit = "m3/(s.Pa0.5)";
constexpr const char* conductance_unit = "m3/(s.Pa)";
// Nominal values set the absolute tolerances of model exchange; small ones leave it to the relative tolerance.
constexpr double pressure_nominal = 1e6;
constexpr double flow_nominal = 1e-5;
constexpr double energy_nominal = 1e8;  // the ledger must not steer the step

}  // namespace

HydraulicsUnit::HydraulicsUnit(const models::hydraulics::Machine& machine) {
    about({.description = "Load-sensing pump, proportional valves, cylinders and motors: motion in, force out",
           .stop = 10,
           .step = 1e-3});
    model_.parameters = machine.parameters;
    model_.names = machine.names;
    enumeration<models::hydraulics::Solver>({.name = "Solver", .items = {{"rosenbrock", 1}, {"cvode", 2}}});
    for (std::size_t i = 0; i < machine.parameters.count; ++i)
        declare_axis(i, std::string(machine.names[i]), machine.rotary[i]);
    declare_supply();
    for (std::size_t i = 0; i < machine.parameters.count; ++i)
        declare_axis_parameters(i, std::string(machine.names[i]), machine.rotary[i]);
    declare_common_parameters();
    declare_energies();
}

void HydraulicsUnit::declare_axis(std::size_t i, const std::string& name, bool rotary) {
    auto& input_of = model_.inputs[i];
    auto& state = model_.state;
    auto& rates = model_.rates;
    const std::string a = name + ".pressure_a", b = name + ".pressure_b";
    const std::string spool = name + ".spool", spool_velocity = name + ".spool_velocity";
    input(name + ".command", "1", input_of.command).discrete().min(-1).max(1).describe("Valve command");
    input(name + ".position", rotary ? "rad" : "m", input_of.position)
        .slope(input_of.position_slope)
        .describe("Stroke from the retracted end, angle or path");
    input(name + ".velocity", rotary ? "rad/s" : "m/s", input_of.velocity).slope(input_of.velocity_slope);
    output(name + ".force", rotary ? "N.m" : "N", model_.outputs.force[i])
        .depends_on({a, b})
        .describe("Pressure times area, positive extends");
    output(a, "Pa", state.fluid.a[i]).nominal(pressure_nominal).describe("Pressure that extends");
    output(b, "Pa", state.fluid.b[i]).nominal(pressure_nominal).describe("Pressure that retracts");
    local(spool, "1", state.spools.position[i]).describe("Position of the valve's spool");
    local(spool_velocity, "1/s", state.spools.velocity[i]).nominal(10);
    derivative("der(" + a + ")", "Pa/s", rates.fluid.a[i], a).depends_on(all_states());
    derivative("der(" + b + ")", "Pa/s", rates.fluid.b[i], b).depends_on(all_states());
    derivative("der(" + spool + ")", "1/s", rates.spools.position[i], spool).depends_on({spool_velocity});
    derivative("der(" + spool_velocity + ")", "1/s2", rates.spools.velocity[i], spool_velocity)
        .depends_on({name + ".command", spool, spool_velocity});
}

void HydraulicsUnit::declare_axis_parameters(std::size_t i, const std::string& name, bool rotary) {
    auto& axis = model_.parameters.axes[i];
    parameter(name + ".initial_force", rotary ? "N.m" : "N", axis.initial_force).describe("Force at the start");
    parameter(name + ".area_a", rotary ? "m3/rad" : "m2", axis.area_a).min(0).describe("Piston area, or displacement");
    parameter(name + ".area_b", rotary ? "m3/rad" : "m2", axis.area_b).min(0).describe("Ring area, or displacement");
    if (!axis.motor) parameter(name + ".stroke", "m", axis.stroke).min(0).describe("Stroke of the cylinder");
    parameter(name + ".dead_volume_a", "m3", axis.dead_volume_a)
        .min(0)
        .describe("Volume of the retracted chamber and its line");
    parameter(name + ".dead_volume_b", "m3", axis.dead_volume_b)
        .min(0)
        .describe("Volume of the extended chamber and its line");
    parameter(name + ".gain_pa", gain_unit, axis.gain_pa).min(0).describe("Open valve, pump to chamber A");
    parameter(name + ".gain_pb", gain_unit, axis.gain_pb).min(0).describe("Open valve, pump to chamber B");
    parameter(name + ".gain_at", gain_unit, axis.gain_at).min(0).describe("Open valve, chamber A to tank");
    parameter(name + ".gain_bt", gain_unit, axis.gain_bt).min(0).describe("Open valve, chamber B to tank");
    parameter(name + ".counterbalance_a", "Pa", axis.counterbalance_a)
        .min(0)
        .describe("Set pressure of the counterbalance valve behind chamber A, 0 for none");
    parameter(name + ".counterbalance_b", "Pa", axis.counterbalance_b)
        .min(0)
        .describe("Set pressure of the counterbalance valve behind chamber B, 0 for none");
    parameter(name + ".counterbalance_gain", gain_unit, axis.counterbalance_gain)
        .min(0)
        .describe("Open counterbalance valve");
}

void HydraulicsUnit::declare_supply() {
    auto& fluid = model_.state.fluid;
    output("supply.pressure", "Pa", fluid.supply).nominal(pressure_nominal).describe("Pressure behind the pump");
    output("supply.flow_rate", "m3/s", model_.outputs.flow_rate)
        .nominal(flow_nominal)
        .depends_on({"supply.pressure", "supply.displacement"})
        .describe("Flow that leaves the pump");
    output("supply.power", "W", model_.outputs.power)
        .depends_on({"supply.pressure", "supply.displacement"})
        .describe("Hydraulic power of the pump");
    derivative("der(supply.pressure)", "Pa/s", model_.rates.fluid.supply, "supply.pressure").depends_on(all_states());
    local("supply.displacement", "m3/s", fluid.flow_rate)
        .nominal(flow_nominal)
        .describe("Flow of the pump's displacement, before the limit of the delivered power");
    derivative("der(supply.displacement)", "m3/s2", model_.rates.fluid.flow_rate, "supply.displacement")
        .depends_on(all_states());
}

void HydraulicsUnit::declare_common_parameters() {
    auto& [count, axes, valve, oil, supply] = model_.parameters;
    parameter("solver", model_.solver).describe("Solver in co-simulation; cvode is the reference");
    parameter("supply.volume", "m3", supply.volume).min(0).describe("Volume of the supply line");
    parameter("supply.max_flow_rate", "m3/s", supply.max_flow_rate)
        .min(0)
        .describe("Flow of the pump at full displacement");
    parameter("supply.gain", conductance_unit, supply.gain).min(0).describe("Flow per missing pressure");
    parameter("supply.margin", "Pa", supply.margin).min(0).describe("Pressure of the pump above the highest load");
    parameter("supply.lag", "s", supply.lag).min(0).describe("Time constant of the pump");
    parameter("supply.relief_pressure", "Pa", supply.relief_pressure)
        .min(0)
        .describe("Opening pressure of the relief valve");
    parameter("supply.relief_gain", conductance_unit, supply.relief_gain).min(0).describe("Slope of the relief valve");
    parameter("supply.leak", conductance_unit, supply.leak).min(0).describe("Leakage of the pump");
    parameter("supply.max_power", "W", supply.max_power)
        .min(0)
        .describe("Power limit of the pump's demand, before its lag; 0 for none");
    parameter("supply.max_delivered_power", "W", supply.max_delivered_power)
        .min(0)
        .describe("Power limit of what leaves the pump; 0 for none");
    parameter("valve.frequency", "rad/s", valve.frequency).min(0).describe("Natural frequency of a spool");
    parameter("valve.damping", "1", valve.damping).min(0).describe("Damping ratio of a spool");
    parameter("valve.dead_zone", "1", valve.dead_zone).min(0).describe("Command up to which a valve stays closed");
    parameter("valve.sensing_overlap", "1", valve.sensing_overlap)
        .min(0)
        .describe("Last part of the dead zone, in which the load-sensing edge opens");
    parameter("valve.laminar_pressure", "Pa", valve.laminar_pressure)
        .min(0)
        .describe("Pressure difference below which a flow is rather linear than a root");
    parameter("valve.pilot_ratio", "1", valve.pilot_ratio).min(0).describe("Pilot ratio of the counterbalance valves");
    parameter("valve.counterbalance_band", "1", valve.counterbalance_band)
        .min(0)
        .describe("Share of the set pressure over which a counterbalance valve opens");
    parameter("oil.bulk_modulus", "Pa", oil.bulk_modulus).min(0);
    parameter("oil.internal_leak", conductance_unit, oil.internal_leak)
        .min(0)
        .describe("Leakage from chamber to chamber");
    parameter("oil.external_leak", conductance_unit, oil.external_leak)
        .min(0)
        .describe("Leakage from a chamber to the tank");
    parameter("oil.suction_gain", conductance_unit, oil.suction_gain)
        .min(0)
        .describe("Slope of the anti-cavitation valves");
    parameter("oil.port_pressure", "Pa", oil.port_pressure)
        .min(0)
        .describe("Opening pressure of a chamber's relief valve");
    parameter("oil.port_gain", conductance_unit, oil.port_gain).min(0).describe("Slope of a chamber's relief valve");
}

void HydraulicsUnit::declare_energies() {
    auto& energy = model_.state.energy;
    auto& powers = model_.rates.energy;
    struct Entry {
        const char* name;
        double& value;
        double& rate;
        const char* description;
    };
    const Entry entries[] = {
        {"energy.pump", energy.pump, powers.pump, "Delivered by the pump"},
        {"energy.throttle_in", energy.throttle_in, powers.throttle_in, "Lost on the way into the chambers"},
        {"energy.throttle_out", energy.throttle_out, powers.throttle_out, "Lost on the way to the tank"},
        {"energy.leak", energy.leak, powers.leak, "Lost by leakage of the axes"},
        {"energy.relief", energy.relief, powers.relief, "Lost in relief valves and by leakage of the pump"},
        {"energy.compression", energy.compression, powers.compression, "Stored in the oil"},
        {"energy.work", energy.work, powers.work, "Delivered by the axes: force times velocity"}};
    for (const Entry& entry : entries) {
        local(entry.name, "J", entry.value).nominal(energy_nominal).describe(entry.description);
        derivative("der(" + std::string(entry.name) + ")", "W", entry.rate, entry.name);
    }
}

/// What the rates of the pressures may depend on. The axes meet at the supply and at the sensed load.
std::vector<std::string> HydraulicsUnit::all_states() const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < model_.parameters.count; ++i) {
        const std::string axis(model_.names[i]);
        for (const char* part : {".pressure_a", ".pressure_b", ".spool", ".position", ".velocity"})
            names.push_back(axis + part);
    }
    names.emplace_back("supply.pressure");
    names.emplace_back("supply.displacement");
    return names;
}

}  // namespace fmus
