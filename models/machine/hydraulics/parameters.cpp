#include "models/machine/hydraulics/parameters.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace models::hydraulics {

namespace {

void fail(const std::string& name, double value, const char* expected) {
    throw std::runtime_error(name + " = " + std::to_string(value) + ", expected " + expected);
}

void require_positive(const std::string& name, double value) {
    if (!(value > 0) || !std::isfinite(value)) fail(name, value, "a positive number");
}

void require_not_negative(const std::string& name, double value) {
    if (!(value >= 0) || !std::isfinite(value)) fail(name, value, "zero or a positive number");
}

void check(const AxisParameters& axis, const std::string& name) {
    require_positive(name + ".area_a", axis.area_a);
    require_positive(name + ".area_b", axis.area_b);
    if (axis.motor && axis.area_a != axis.area_b) fail(name + ".area_b", axis.area_b, "area_a, as this is a motor");
    if (!axis.motor) require_positive(name + ".stroke", axis.stroke);
    require_positive(name + ".dead_volume_a", axis.dead_volume_a);
    require_positive(name + ".dead_volume_b", axis.dead_volume_b);
    require_not_negative(name + ".gain_pa", axis.gain_pa);
    require_not_negative(name + ".gain_pb", axis.gain_pb);
    require_not_negative(name + ".gain_at", axis.gain_at);
    require_not_negative(name + ".gain_bt", axis.gain_bt);
    require_not_negative(name + ".counterbalance_a", axis.counterbalance_a);
    require_not_negative(name + ".counterbalance_b", axis.counterbalance_b);
    require_positive(name + ".counterbalance_gain", axis.counterbalance_gain);
    if (!std::isfinite(axis.initial_force)) fail(name + ".initial_force", axis.initial_force, "a finite number");
}

}  // namespace

void check(const Parameters& parameters, const PerAxis<std::string_view>& names) {
    for (std::size_t i = 0; i < parameters.count; ++i) check(parameters.axes[i], std::string(names[i]));

    const ValveParameters& valve = parameters.valve;
    require_positive("valve.frequency", valve.frequency);
    require_positive("valve.damping", valve.damping);
    if (!(valve.dead_zone >= 0 && valve.dead_zone < 1)) fail("valve.dead_zone", valve.dead_zone, "a number in [0, 1)");
    if (!(valve.sensing_overlap >= 0 && valve.sensing_overlap <= valve.dead_zone))
        fail("valve.sensing_overlap", valve.sensing_overlap, "a number from 0 to valve.dead_zone");
    require_positive("valve.laminar_pressure", valve.laminar_pressure);
    require_not_negative("valve.pilot_ratio", valve.pilot_ratio);
    require_positive("valve.counterbalance_band", valve.counterbalance_band);

    const OilParameters& oil = parameters.oil;
    require_positive("oil.bulk_modulus", oil.bulk_modulus);
    require_not_negative("oil.internal_leak", oil.internal_leak);
    require_not_negative("oil.external_leak", oil.external_leak);
    require_not_negative("oil.suction_gain", oil.suction_gain);
    require_positive("oil.port_pressure", oil.port_pressure);
    require_not_negative("oil.port_gain", oil.port_gain);

    const SupplyParameters& supply = parameters.supply;
    require_positive("supply.volume", supply.volume);
    require_positive("supply.max_flow_rate", supply.max_flow_rate);
    require_positive("supply.gain", supply.gain);
    require_positive("supply.margin", supply.margin);
    require_positive("supply.lag", supply.lag);
    require_positive("supply.relief_pressure", supply.relief_pressure);
    if (supply.relief_pressure <= supply.margin)
        fail("supply.relief_pressure", supply.relief_pressure, "more than supply.margin");
    require_not_negative("supply.relief_gain", supply.relief_gain);
    require_not_negative("supply.leak", supply.leak);
    require_not_negative("supply.max_power", supply.max_power);
    require_not_negative("supply.max_delivered_power", supply.max_delivered_power);
}

AxisPressures holding_pressures(const AxisParameters& axis, double force, double back) {
    const double a = (force + back * axis.area_b) / axis.area_a;
    if (a >= 0) return {.a = a, .b = back};
    return {.a = back, .b = (back * axis.area_a - force) / axis.area_b};
}

}  // namespace models::hydraulics
