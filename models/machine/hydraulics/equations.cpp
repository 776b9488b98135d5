#include "models/machine/hydraulics/equations.hpp"

#include <algorithm>
#include <cmath>

namespace models::hydraulics {

namespace {

/// The pump needs no more than this to be at full displacement under the power limit.
constexpr double lowest_power_pressure = 1e6;
/// A chamber never gets smaller than this share of its dead volume, wherever the machine puts the piston.
constexpr double smallest_chamber = 0.2;

/// How far a valve is open, and how much of its load pressure reaches the pump.
struct Opening {
    double valve = 0, valve_rate = 0;      // 0 closed, 1 open
    double sensing = 0, sensing_rate = 0;  // 0 closed, 1 open
    bool to_a = true;                      // P to A and B to T, or P to B and A to T
};

inline Opening opening_of(const ValveParameters& valve, double spool, double velocity) {
    Opening result{.to_a = spool > 0};
    const double beyond = std::abs(spool) - valve.dead_zone;
    const double rate = result.to_a ? velocity : -velocity;
    if (beyond > 0) {
        result.valve = beyond / (1 - valve.dead_zone);
        result.valve_rate = rate / (1 - valve.dead_zone);
        result.sensing = 1;
        return result;
    }
    if (beyond <= -valve.sensing_overlap) return result;
    result.sensing = 1 + beyond / valve.sensing_overlap;
    result.sensing_rate = rate / valve.sensing_overlap;
    return result;
}

/// Flow per gain through an orifice, dp / (dp^2 + e^2)^(1/4): a root, but smooth at zero.
struct Orifice {
    double flow = 0, slope = 0;
};

inline Orifice orifice(double difference, double laminar) {
    const double square = difference * difference + laminar * laminar;
    const double root = 1 / std::sqrt(std::sqrt(square));
    return {.flow = difference * root, .slope = root * (1 - difference * difference / (2 * square))};
}

/// Two orifices in series, 1/g^2 = 1/first^2 + 1/second^2.
struct Series {
    double gain = 0, by_first = 0, by_second = 0;
};

inline Series in_series(double first, double second) {
    const double square = first * first + second * second;
    if (square == 0) return {};
    const double scale = 1 / std::sqrt(square);
    const double a = first * scale, b = second * scale;
    return {.gain = first * b, .by_first = b * b * b, .by_second = a * a * a};
}

/// The highest load pressure that reaches the pump, limited so that the pump stays below its relief valve; an axis that
/// stalls then leaves the others their flow.
struct Load {
    double pressure = 0;
    std::size_t lead = 0;
    bool in_a = true;
    double weight = 0;  // of the lead's pressure
    double rate = 0;    // by the motion of its spool
};

inline Load sensed_load(const Instant& instant, const PerAxis<Opening>& openings) {
    const Parameters& parameters = instant.parameters;
    Load load;
    for (std::size_t i = 0; i < parameters.count; ++i) {
        const Opening& opening = openings[i];
        if (opening.sensing == 0) continue;
        const double own = opening.to_a ? instant.fluid.a[i] : instant.fluid.b[i];
        if (opening.sensing * own <= load.pressure) continue;
        load = {opening.sensing * own, i, opening.to_a, opening.sensing, opening.sensing_rate * own};
    }
    const double highest = parameters.supply.relief_pressure - parameters.supply.margin;
    if (load.pressure > highest) return {.pressure = highest};
    return load;
}

/// Everything about one axis at one instant; what a caller does not use costs nothing once this is inlined.
struct AxisFlows {
    double draw = 0;  // from the supply
    double rate_a = 0, rate_b = 0;
    Energy powers;
    AxisSlopes slopes;
};

struct Chamber {
    double volume = 0, growth = 0;  // m3, and its relative rate
};

inline Chamber chamber(double dead_volume, double extra, double rate) {
    const double volume = dead_volume + extra;
    const double least = smallest_chamber * dead_volume;
    if (volume > least) return {volume, rate / volume};
    return {least, 0};
}

/// Flow out of a chamber whatever the valve does: to the tank, less what is sucked in, more through its relief valve.
struct Passive {
    double flow = 0, slope = 0, leak = 0, suction = 0, relief = 0;  // the last three: powers
};

inline Passive passive(const OilParameters& oil, double pressure) {
    Passive result{.flow = oil.external_leak * pressure, .slope = oil.external_leak};
    result.leak = result.flow * pressure;
    if (pressure < 0) {
        result.flow += oil.suction_gain * pressure;
        result.slope += oil.suction_gain;
        result.suction = oil.suction_gain * pressure * pressure;
    } else if (pressure > oil.port_pressure) {
        const double flow = oil.port_gain * (pressure - oil.port_pressure);
        result.flow += flow;
        result.slope += oil.port_gain;
        result.relief = flow * pressure;
    }
    return result;
}

inline AxisFlows axis_flows(const Instant& instant, std::size_t i, const Opening& opening, double load) {
    const AxisParameters& axis = instant.parameters.axes[i];
    const ValveParameters& valve = instant.parameters.valve;
    const OilParameters& oil = instant.parameters.oil;
    const AxisInputs& input = instant.inputs[i];
    const double a = instant.fluid.a[i], b = instant.fluid.b[i], supply = instant.fluid.supply;
    const double since = instant.since;
    const double velocity = input.velocity + input.velocity_slope * since;
    const double position = input.position + since * (input.velocity + input.velocity_slope * since / 2);
    const double length = axis.motor ? 0 : position;
    const double speed = axis.motor ? 0 : velocity;
    const double rest = axis.motor ? 0 : axis.stroke - position;
    const Chamber chamber_a = chamber(axis.dead_volume_a, axis.area_a * length, axis.area_a * speed);
    const Chamber chamber_b = chamber(axis.dead_volume_b, axis.area_b * rest, -axis.area_b * speed);

    const Passive out_a = passive(oil, a), out_b = passive(oil, b);
    const double across = oil.internal_leak * (a - b);
    AxisFlows result;
    AxisSlopes& slope = result.slopes;
    double net_a = -across - out_a.flow - axis.area_a * velocity;
    double net_b = across - out_b.flow + axis.area_b * velocity;
    slope.aa = -oil.internal_leak - out_a.slope;
    slope.bb = -oil.internal_leak - out_b.slope;
    slope.ab = slope.ba = oil.internal_leak;
    slope.at = -axis.area_a * input.velocity_slope;
    slope.bt = axis.area_b * input.velocity_slope;
    result.powers.leak = across * (a - b) + out_a.leak + out_b.leak;
    result.powers.relief = out_a.relief + out_b.relief;
    result.powers.throttle_in = out_a.suction + out_b.suction;
    result.powers.work = (a * axis.area_a - b * axis.area_b) * velocity;

    if (opening.valve > 0) {
        const bool to_a = opening.to_a;
        const double inlet = to_a ? a : b, outlet = to_a ? b : a;
        const double gain_in = to_a ? axis.gain_pa : axis.gain_pb;
        const double gain_out = to_a ? axis.gain_bt : axis.gain_at;

        // Compensators behind the valves give every open axis the same pressure difference, that of the leading one:
        // when the pump saturates, the axes share its flow in proportion to their openings. A load check in each
        // inlet keeps a chamber from flowing back.
        const double difference = supply - std::max(load, inlet);
        double in = 0, in_by_supply = 0, in_by_time = 0;
        if (difference > 0) {
            const Orifice inlet_orifice = orifice(difference, valve.laminar_pressure);
            in = gain_in * opening.valve * inlet_orifice.flow;
            in_by_supply = gain_in * opening.valve * inlet_orifice.slope;
            in_by_time = gain_in * opening.valve_rate * inlet_orifice.flow;
        }
        const double in_by_load = load >= inlet ? -in_by_supply : 0;
        const double in_by_inlet = load >= inlet ? 0 : -in_by_supply;

        Series series{.gain = gain_out * opening.valve, .by_first = 1};
        const double set = to_a ? axis.counterbalance_b : axis.counterbalance_a;
        double by_band = 0;
        if (set > 0) {
            const double band = valve.counterbalance_band * set;
            const double lift = (outlet + valve.pilot_ratio * inlet - set) / band;
            series = in_series(series.gain, axis.counterbalance_gain * std::clamp(lift, 0.0, 1.0));
            if (lift > 0 && lift < 1) by_band = series.by_second * axis.counterbalance_gain / band;
        }
        const Orifice outlet_orifice = orifice(outlet, valve.laminar_pressure);
        const double out = series.gain * outlet_orifice.flow;
        const double out_by_outlet = series.gain * outlet_orifice.slope + by_band * outlet_orifice.flow;
        const double out_by_inlet = by_band * valve.pilot_ratio * outlet_orifice.flow;
        const double out_by_time = series.by_first * gain_out * opening.valve_rate * outlet_orifice.flow;

        result.draw = in;
        result.powers.throttle_in += in * (supply - inlet);
        result.powers.throttle_out = out * outlet;
        slope.draw_p = in_by_supply;
        slope.draw_l = in_by_load;
        slope.draw_t = in_by_time;
        (to_a ? slope.draw_a : slope.draw_b) = in_by_inlet;
        (to_a ? net_a : net_b) += in;
        (to_a ? net_b : net_a) -= out;
        (to_a ? slope.aa : slope.bb) += in_by_inlet;
        (to_a ? slope.bb : slope.aa) -= out_by_outlet;
        (to_a ? slope.ba : slope.ab) -= out_by_inlet;
        (to_a ? slope.ap : slope.bp) = in_by_supply;
        (to_a ? slope.al : slope.bl) = in_by_load;
        (to_a ? slope.at : slope.bt) += in_by_time;
        (to_a ? slope.bt : slope.at) -= out_by_time;
    }

    result.powers.compression = a * net_a + b * net_b;
    const double stiffness_a = oil.bulk_modulus / chamber_a.volume, stiffness_b = oil.bulk_modulus / chamber_b.volume;
    result.rate_a = stiffness_a * net_a;
    result.rate_b = stiffness_b * net_b;
    for (double* entry : {&slope.aa, &slope.ab, &slope.ap, &slope.al, &slope.at}) *entry *= stiffness_a;
    for (double* entry : {&slope.ba, &slope.bb, &slope.bp, &slope.bl, &slope.bt}) *entry *= stiffness_b;
    slope.at -= result.rate_a * chamber_a.growth;
    slope.bt -= result.rate_b * chamber_b.growth;
    return result;
}

/// The flow that a power lets through, with its slope.
struct PowerLimit {
    double flow = 0, by_supply = 0;
};

inline PowerLimit power_limit(double power, double pressure) {
    const double flow = power / std::max(pressure, lowest_power_pressure);
    return {.flow = flow, .by_supply = pressure > lowest_power_pressure ? -flow / pressure : 0};
}

struct PumpDemand {
    double flow = 0, by_load = 0, by_supply = 0;
};

inline PumpDemand pump_demand(const SupplyParameters& supply, double pressure, double load) {
    PowerLimit limit{.flow = supply.max_flow_rate};
    if (supply.max_power > 0) {
        const PowerLimit by_power = power_limit(supply.max_power, pressure);
        if (by_power.flow < limit.flow) limit = by_power;
    }
    const double wanted = supply.gain * (load + supply.margin - pressure);
    if (wanted <= 0) return {};
    if (wanted >= limit.flow) return {.flow = limit.flow, .by_supply = limit.by_supply};
    return {.flow = wanted, .by_load = supply.gain, .by_supply = -supply.gain};
}

/// What leaves the pump: a regulator that acts on the displacement itself holds the power where the demand's lag would
/// pass it.
struct Delivery {
    double flow = 0, by_flow = 1, by_supply = 0;
};

inline Delivery delivery(const SupplyParameters& supply, const Fluid& fluid) {
    if (supply.max_delivered_power > 0) {
        const PowerLimit limit = power_limit(supply.max_delivered_power, fluid.supply);
        if (limit.flow < fluid.flow_rate) return {.flow = limit.flow, .by_flow = 0, .by_supply = limit.by_supply};
    }
    return {.flow = fluid.flow_rate};
}

inline PerAxis<Opening> openings_of(const Instant& instant) {
    PerAxis<Opening> openings;
    for (std::size_t i = 0; i < instant.parameters.count; ++i)
        openings[i] = opening_of(instant.parameters.valve, instant.spools.position[i], instant.spools.velocity[i]);
    return openings;
}

}  // namespace

Balance balance(const Instant& instant) {
    const Parameters& parameters = instant.parameters;
    const SupplyParameters& supply = parameters.supply;
    const PerAxis<Opening> openings = openings_of(instant);
    const double load = sensed_load(instant, openings).pressure;
    const double pressure = instant.fluid.supply;
    Balance result;
    Energy& powers = result.powers;
    double draw = 0;
    for (std::size_t i = 0; i < parameters.count; ++i) {
        const AxisFlows flows = axis_flows(instant, i, openings[i], load);
        result.rates.a[i] = flows.rate_a;
        result.rates.b[i] = flows.rate_b;
        draw += flows.draw;
        powers.throttle_in += flows.powers.throttle_in;
        powers.throttle_out += flows.powers.throttle_out;
        powers.leak += flows.powers.leak;
        powers.relief += flows.powers.relief;
        powers.compression += flows.powers.compression;
        powers.work += flows.powers.work;
    }
    const double relief = supply.relief_gain * std::max(0.0, pressure - supply.relief_pressure);
    const double lost = relief + supply.leak * pressure;
    const double delivered = delivery(supply, instant.fluid).flow;
    const double net = delivered - draw - lost;
    result.rates.supply = parameters.oil.bulk_modulus / supply.volume * net;
    result.rates.flow_rate = (pump_demand(supply, pressure, load).flow - instant.fluid.flow_rate) / supply.lag;
    powers.pump = pressure * delivered;
    powers.relief += pressure * lost;
    powers.compression += pressure * net;
    return result;
}

double delivered_flow(const SupplyParameters& supply, const Fluid& fluid) { return delivery(supply, fluid).flow; }

Slopes slopes(const Instant& instant) {
    const Parameters& parameters = instant.parameters;
    const SupplyParameters& supply = parameters.supply;
    const PerAxis<Opening> openings = openings_of(instant);
    const Load load = sensed_load(instant, openings);
    const double pressure = instant.fluid.supply;
    Slopes result;
    for (std::size_t i = 0; i < parameters.count; ++i)
        result.axes[i] = axis_flows(instant, i, openings[i], load.pressure).slopes;
    const double stiffness = parameters.oil.bulk_modulus / supply.volume;
    const double relief = pressure > supply.relief_pressure ? supply.relief_gain : 0;
    const PumpDemand demand = pump_demand(supply, pressure, load.pressure);
    const Delivery delivered = delivery(supply, instant.fluid);
    result.stiffness = stiffness;
    result.supply_by_supply = stiffness * (delivered.by_supply - relief - supply.leak);
    result.supply_by_flow = stiffness * delivered.by_flow;
    result.flow_by_supply = demand.by_supply / supply.lag;
    result.flow_by_load = demand.by_load / supply.lag;
    result.flow_by_flow = -1 / supply.lag;
    result.lead = load.lead;
    result.lead_in_a = load.in_a;
    result.load_by_lead = load.weight;
    result.load_by_time = load.rate;
    return result;
}

Spools spools_after(const Parameters& parameters, const Inputs& inputs, const Spools& spools, double h) {
    const double w = parameters.valve.frequency, z = parameters.valve.damping;
    // exp(A h) of the deviation from the command, with c = cos or cosh and s = sin/wd or sinh/wd.
    const double discriminant = 1 - z * z;
    const double wd = w * std::sqrt(std::abs(discriminant));
    double c = 1, s = h;
    if (discriminant > 0 && wd * h > 0) {
        c = std::cos(wd * h);
        s = std::sin(wd * h) / wd;
    } else if (discriminant < 0) {
        c = std::cosh(wd * h);
        s = std::sinh(wd * h) / wd;
    }
    const double decay = std::exp(-z * w * h);
    const double xx = decay * (c + z * w * s), xv = decay * s;
    const double vx = -decay * w * w * s, vv = decay * (c - z * w * s);
    Spools result;
    for (std::size_t i = 0; i < parameters.count; ++i) {
        const double command = std::clamp(inputs[i].command, -1.0, 1.0);
        const double deviation = spools.position[i] - command;
        result.position[i] = command + xx * deviation + xv * spools.velocity[i];
        result.velocity[i] = vx * deviation + vv * spools.velocity[i];
    }
    return result;
}

PerAxis<double> spool_rates(const Parameters& parameters, const Inputs& inputs, const Spools& spools) {
    const double w = parameters.valve.frequency, z = parameters.valve.damping;
    PerAxis<double> result{};
    for (std::size_t i = 0; i < parameters.count; ++i) {
        const double command = std::clamp(inputs[i].command, -1.0, 1.0);
        result[i] = w * w * (command - spools.position[i]) - 2 * z * w * spools.velocity[i];
    }
    return result;
}

}  // namespace models::hydraulics
