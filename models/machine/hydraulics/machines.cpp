#include "models/machine/hydraulics/machines.hpp"

namespace models::hydraulics {

namespace {

constexpr double pi = std::numbers::pi;
/// Of a counterbalance valve's gain to that of the valve edge before it. A larger one lowers faster, but from about 1
/// on the pilot line makes a boom pump up and down when other axes take the flow.
constexpr double counterbalance_share = 0.7;

/// `count` cylinders side by side, by diameters.
AxisParameters cylinder(int count, double bore, double rod, double stroke) {
    AxisParameters axis;
    axis.area_a = count * pi / 4 * bore * bore;
    axis.area_b = count * pi / 4 * (bore * bore - rod * rod);
    axis.stroke = stroke;
    return axis;
}

/// Valve sized for the cylinder: `speed` times the speed of the boom at the same opening.
AxisParameters with_valve(AxisParameters axis, double speed) {
    const AxisParameters boom;
    const double a = speed * axis.area_a / boom.area_a, b = speed * axis.area_b / boom.area_b;
    axis.gain_pa = a * boom.gain_pa;
    axis.gain_at = a * boom.gain_at;
    axis.gain_pb = b * boom.gain_pb;
    axis.gain_bt = b * boom.gain_bt;
    axis.counterbalance_gain = counterbalance_share * axis.gain_at;
    return axis;
}

/// `speed` at full command, with 1.5 MPa over the inlet edge.
AxisParameters motor(double displacement, double speed) {
    AxisParameters axis{.motor = true, .area_a = displacement, .area_b = displacement, .stroke = 0};
    axis.dead_volume_a = axis.dead_volume_b = 0.5e-3;
    axis.gain_pa = axis.gain_pb = speed * displacement / 1224.744871391589;  // root of 1.5 MPa
    axis.gain_at = axis.gain_bt = 0.6 * axis.gain_pa;
    axis.counterbalance_gain = counterbalance_share * axis.gain_at;
    return axis;
}

}  // namespace

Machine boom_axis() {
    Machine machine;
    machine.parameters.count = 1;
    machine.names[0] = "boom";
    return machine;
}

Machine excavator() {
    Machine machine;
    machine.parameters.count = 3;
    machine.names = {"boom", "arm", "bucket"};
    machine.parameters.axes[0] = cylinder(2, 0.105, 0.070, 0.5);
    machine.parameters.axes[1] = cylinder(1, 0.115, 0.080, 0.65);
    machine.parameters.axes[2] = cylinder(1, 0.100, 0.070, 0.5);
    return machine;
}

Machine demolition_excavator() {
    Machine machine;
    Parameters& parameters = machine.parameters;
    parameters.count = 8;
    machine.names = {"boom", "adjust", "arm", "coupler", "slew", "rotate", "jaw", "travel"};
    machine.rotary[5] = true;
    auto& [boom, adjust, arm, coupler, slew, rotate, jaw, travel] = parameters.axes;
    boom = with_valve(cylinder(2, 0.105, 0.070, 0.5), 1);
    adjust = with_valve(cylinder(2, 0.105, 0.070, 0.497), 0.8);
    arm = with_valve(cylinder(1, 0.115, 0.080, 0.65), 1.3);
    coupler = with_valve(cylinder(1, 0.100, 0.070, 0.5), 1.3);
    slew = with_valve(cylinder(1, 0.090, 0.050, 0.398), 1.2);
    // These hang on their ring sides: a narrow outlet keeps them from running ahead of the pump.
    arm.gain_bt = 0.2 * arm.gain_pa;
    coupler.gain_bt = 0.3 * coupler.gain_pa;
    rotate = motor(2.5e-4, 1);
    jaw = with_valve(cylinder(1, 0.140, 0.080, 0.259), 1);
    travel = motor(2e-3, 0.3);
    // 1.3 times the highest holding pressure. Only where the bore side carries the load: a pilot ratio R is stable
    // while R < (outlet area / inlet area) (inlet volume / outlet volume) or the valve edge meters, and an arm that
    // hangs on its ring side would hunt.
    boom.counterbalance_a = 13e6;
    adjust.counterbalance_a = 13e6;
    travel.counterbalance_a = travel.counterbalance_b = 5e6;
    machine.speeds = {{{0.088, 0.110},
                       {0.076, 0.089},
                       {0.115, 0.154},
                       {0.125, 0.162},
                       {0.132, 0.150},
                       {1.09, 1.09},
                       {0.091, 0.110},
                       {0.30, 0.30}}};
    machine.lower[3] = 0.07;
    parameters.supply.max_power = parameters.supply.max_delivered_power = 45e3;
    parameters.valve.sensing_overlap = 0.02;
    parameters.oil.port_gain = parameters.supply.relief_gain;
    return machine;
}

}  // namespace models::hydraulics
