package Hydraulics "Load-sensing hydraulics of the demolition excavator: motion in, forces out; SI units, tank pressure 0"

  connector AxisPort "What one axis exchanges with the machine"
    parameter Real initial_force = 0 "Force (torque) at the start";
    input Real command "Valve command, -1 to 1";
    input Real position "Stroke from the retracted end (m), angle (rad) or path (m)";
    input Real velocity;
    output Real force "Pressure times area, positive extends; torque of a motor that turns";
    output Real pressure_a;
    output Real pressure_b;
  end AxisPort;

  connector SupplyPort "What the pump reports"
    output Real pressure;
    output Real flow_rate;
    output Real power;
  end SupplyPort;

  function opening "How far a spool is open beyond its dead zone: 0 closed, 1 open"
    input Real spool;
    input Real dead_zone;
    output Real y;
  algorithm
    y := noEvent(max(0, abs(spool) - dead_zone)) / (1 - dead_zone);
  end opening;

  function sensing "How much of the load pressure reaches the pump: its edge opens over the end of the dead zone"
    input Real spool;
    input Real dead_zone;
    input Real overlap;
    output Real y;
  algorithm
    y := noEvent(min(1, max(0, 1 + (abs(spool) - dead_zone) / overlap)));
  end sensing;

  function orifice "Flow per gain: the root of a pressure difference, smooth at zero"
    input Real difference;
    output Real q;
  algorithm
    q := difference / sqrt(sqrt(difference * difference + 1e10));
  end orifice;

  function series "Gain of two orifices in a row"
    input Real first;
    input Real second;
    output Real gain;
  algorithm
    gain := first * second / sqrt(first * first + second * second + 1e-30);
  end series;

  function outlet "Gain from a chamber to the tank, through a counterbalance valve where there is one (set > 0)"
    input Real edge "Gain of the valve edge";
    input Real counterbalance "Gain of the open counterbalance valve";
    input Real load_pressure;
    input Real pilot_pressure;
    input Real set;
    output Real gain;
  algorithm
    gain := noEvent(if set > 0 then series(edge, counterbalance * min(1, max(0, (load_pressure + 4 * pilot_pressure - set) / max(0.1 * set, 1)))) else edge);
  end outlet;

  function initial_a "Pressure in A that holds a force with 0.5 MPa on the other side"
    input Real force;
    input Real area_a;
    input Real area_b;
    output Real p;
  algorithm
    p := noEvent(if force + 0.5e6 * area_b >= 0 then (force + 0.5e6 * area_b) / area_a else 0.5e6);
  end initial_a;

  function initial_b "Pressure in B that holds a force with 0.5 MPa on the other side"
    input Real force;
    input Real area_a;
    input Real area_b;
    output Real p;
  algorithm
    p := noEvent(if force + 0.5e6 * area_b >= 0 then 0.5e6 else (0.5e6 * area_a - force) / area_b);
  end initial_b;

  model Axis "Proportional valve with a cylinder (cylinder = 1) or a motor, which has chambers of constant size (0)"
    parameter Real cylinder = 1;
    parameter Real area_a = 0.0173180295 "Piston area (m2), or displacement (m3/rad, m2)";
    parameter Real area_b = 0.0096211275;
    parameter Real stroke = 0.5;
    parameter Real dead_volume = 1e-3 "Of each chamber with its line";
    parameter Real gain_pa = 1.63299316e-6 "Open valve, pump to A, m3/s per root of Pa";
    parameter Real gain_pb = 1e-6;
    parameter Real gain_at = 0.8e-6 "Open valve, A to tank";
    parameter Real gain_bt = 0.979795897e-6;
    parameter Real counterbalance_a = 0 "Set pressure of the counterbalance valve behind A, 0 for none";
    parameter Real counterbalance_b = 0;
    parameter Real counterbalance_gain = 0.56e-6;
    parameter Real frequency = 62.83185307179586 "Of the spool, rad/s";
    parameter Real damping = 0.8;
    parameter Real dead_zone = 0.15;
    parameter Real overlap = 0.02;
    parameter Real bulk_modulus = 1e9;
    parameter Real internal_leak = 1e-13;
    parameter Real external_leak = 5e-14;
    parameter Real suction_gain = 1e-8;
    parameter Real port_pressure = 32e6 "Relief valve of a chamber";
    parameter Real port_gain = 1.3335e-9;

    Real initial_force;
    Real command;
    Real position;
    Real velocity;
    Real supply "Pressure of the pump";
    Real load "Highest load pressure";

    // Pressures count from their start, because the force at the start is a parameter of the port. Nominal values set
    // the absolute tolerances of the integrator, 1e-7 of them: 100 Pa, 1e-5 of the spool's travel.
    Real rise_a(start = 0, nominal = 1e9);
    Real rise_b(start = 0, nominal = 1e9);
    Real spool(start = 0, nominal = 100);
    Real spool_velocity(start = 0, nominal = 1000);
    Real a;
    Real b;

    Real force;
    Real draw "Flow taken from the pump";
    Real sensed "Load pressure reported to the pump";
    Real throttle_in "Powers that are lost or stored";
    Real throttle_out;
    Real leak;
    Real relief;
    Real compression;
    Real work;
    Real y;
    Real to_a "1 when the spool connects the pump with A, 0 with B";
    Real in_a;
    Real in_b;
    Real out_a;
    Real out_b;
    Real suction_a;
    Real suction_b;
    Real port_a;
    Real port_b;
    Real net_a;
    Real net_b;
    Real volume_a;
    Real volume_b;
  equation
    der(spool) = spool_velocity;
    der(spool_velocity) = frequency * frequency * (noEvent(min(1, max(-1, command))) - spool) - 2 * damping * frequency * spool_velocity;
    y = opening(spool, dead_zone);
    to_a = noEvent(if spool > 0 then 1 else 0);

    a = initial_a(initial_force, area_a, area_b) + rise_a;
    b = initial_b(initial_force, area_a, area_b) + rise_b;
    sensed = sensing(spool, dead_zone, overlap) * (to_a * a + (1 - to_a) * b);

    // Compensators give all open axes the same pressure difference; load checks keep oil from flowing back.
    in_a = to_a * gain_pa * y * orifice(noEvent(max(0, supply - max(load, a))));
    in_b = (1 - to_a) * gain_pb * y * orifice(noEvent(max(0, supply - max(load, b))));
    out_a = (1 - to_a) * outlet(gain_at * y, counterbalance_gain, a, b, counterbalance_a) * orifice(a);
    out_b = to_a * outlet(gain_bt * y, counterbalance_gain, b, a, counterbalance_b) * orifice(b);
    suction_a = suction_gain * noEvent(max(0, -a));
    suction_b = suction_gain * noEvent(max(0, -b));
    port_a = port_gain * noEvent(max(0, a - port_pressure));
    port_b = port_gain * noEvent(max(0, b - port_pressure));

    volume_a = noEvent(max(0.2 * dead_volume, dead_volume + cylinder * area_a * position));
    volume_b = noEvent(max(0.2 * dead_volume, dead_volume + cylinder * area_b * (stroke - position)));
    net_a = in_a - out_a - internal_leak * (a - b) - external_leak * a + suction_a - port_a - area_a * velocity;
    net_b = in_b - out_b + internal_leak * (a - b) - external_leak * b + suction_b - port_b + area_b * velocity;
    der(rise_a) = bulk_modulus / volume_a * net_a;
    der(rise_b) = bulk_modulus / volume_b * net_b;

    force = a * area_a - b * area_b;
    draw = in_a + in_b;
    throttle_in = in_a * (supply - a) + in_b * (supply - b) - suction_a * a - suction_b * b;
    throttle_out = out_a * a + out_b * b;
    leak = internal_leak * (a - b) * (a - b) + external_leak * (a * a + b * b);
    relief = port_a * a + port_b * b;
    compression = net_a * a + net_b * b;
    work = force * velocity;
  end Axis;

  model Ledger "Energies since the start; pump = all the others together"
    Real pump(start = 0, nominal = 1e8);
    Real throttle_in(start = 0, nominal = 1e8);
    Real throttle_out(start = 0, nominal = 1e8);
    Real leak(start = 0, nominal = 1e8);
    Real relief(start = 0, nominal = 1e8);
    Real compression(start = 0, nominal = 1e8);
    Real work(start = 0, nominal = 1e8);
  end Ledger;

  model Plant "One load-sensing pump and the eight axes of the demolition excavator"
    AxisPort boom;
    AxisPort adjust;
    AxisPort arm;
    AxisPort coupler;
    AxisPort slew;
    AxisPort rotate;
    AxisPort jaw;
    AxisPort travel;
    SupplyPort supply;
    Ledger energy;

    parameter Real volume = 3e-3 "Of the supply line";
    parameter Real max_flow_rate = 2.6666666666666666e-3;
    parameter Real max_power = 45e3 "Of the demanded flow, before the lag";
    parameter Real max_delivered_power = 45e3 "Of the flow that leaves the pump, 0 for no limit";
    parameter Real gain = 1.333e-9 "Pump flow per missing pressure";
    parameter Real margin = 2e6 "Of the pump above the highest load";
    parameter Real lag = 0.02;
    parameter Real relief_pressure = 28e6;
    parameter Real relief_gain = 1.3335e-9;
    parameter Real pump_leak = 4e-12;
    parameter Real bulk_modulus = 1e9;

    Axis boom_axis(
      area_a = 0.0173180295, area_b = 0.0096211275, stroke = 0.5,
      gain_pa = 1.63299316e-06, gain_pb = 1e-06, gain_at = 8e-07, gain_bt = 9.79795897e-07,
      counterbalance_a = 13e6, counterbalance_gain = 5.6e-07);
    Axis adjust_axis(
      area_a = 0.0173180295, area_b = 0.0096211275, stroke = 0.497,
      gain_pa = 1.30639453e-06, gain_pb = 8e-07, gain_at = 6.4e-07, gain_bt = 7.83836718e-07,
      counterbalance_a = 13e6, counterbalance_gain = 4.48e-07);
    Axis arm_axis(
      area_a = 0.0103868907, area_b = 0.00536034247, stroke = 0.65,
      gain_pa = 1.27325329e-06, gain_pb = 7.24285714e-07, gain_at = 6.23764172e-07, gain_bt = 2.54650657e-07);
    Axis coupler_axis(
      area_a = 0.00785398163, area_b = 0.00400553063, stroke = 0.5,
      gain_pa = 9.62762408e-07, gain_pb = 5.4122449e-07, gain_at = 4.71655329e-07, gain_bt = 2.88828723e-07);
    Axis slew_axis(
      area_a = 0.00636172512, area_b = 0.00439822972, stroke = 0.398,
      gain_pa = 7.19850047e-07, gain_pb = 5.48571429e-07, gain_at = 3.52653061e-07, gain_bt = 5.37488035e-07);
    Axis rotate_axis(
      cylinder = 0, area_a = 0.00025, area_b = 0.00025, stroke = 0, dead_volume = 0.5e-3,
      gain_pa = 2.04124145e-07, gain_pb = 2.04124145e-07, gain_at = 1.22474487e-07, gain_bt = 1.22474487e-07);
    Axis jaw_axis(
      area_a = 0.015393804, area_b = 0.0103672558, stroke = 0.259,
      gain_pa = 1.45154948e-06, gain_pb = 1.07755102e-06, gain_at = 7.11111111e-07, gain_bt = 1.05578007e-06);
    Axis travel_axis(
      cylinder = 0, area_a = 0.002, area_b = 0.002, stroke = 0, dead_volume = 0.5e-3,
      gain_pa = 4.89897949e-07, gain_pb = 4.89897949e-07, gain_at = 2.93938769e-07, gain_bt = 2.93938769e-07,
      counterbalance_a = 5e6, counterbalance_b = 5e6, counterbalance_gain = 2.05757138e-07);

    Real pump_pressure(start = 2e6, nominal = 1e9);
    Real pump_flow(start = 8e-6, nominal = 1) "Of the pump's displacement";
    Real delivered "Flow that leaves the pump";
    Real load "Highest load pressure, limited so that the pump stays below its relief valve";
    Real draw "Flow into all axes";
    Real lost "Flow through relief valve and leaks of the pump";
    Real demand;
  equation
    boom_axis.initial_force = boom.initial_force;
    boom_axis.command = boom.command;
    boom_axis.position = boom.position;
    boom_axis.velocity = boom.velocity;
    boom_axis.supply = pump_pressure;
    boom_axis.load = load;
    boom.force = boom_axis.force;
    boom.pressure_a = boom_axis.a;
    boom.pressure_b = boom_axis.b;
    adjust_axis.initial_force = adjust.initial_force;
    adjust_axis.command = adjust.command;
    adjust_axis.position = adjust.position;
    adjust_axis.velocity = adjust.velocity;
    adjust_axis.supply = pump_pressure;
    adjust_axis.load = load;
    adjust.force = adjust_axis.force;
    adjust.pressure_a = adjust_axis.a;
    adjust.pressure_b = adjust_axis.b;
    arm_axis.initial_force = arm.initial_force;
    arm_axis.command = arm.command;
    arm_axis.position = arm.position;
    arm_axis.velocity = arm.velocity;
    arm_axis.supply = pump_pressure;
    arm_axis.load = load;
    arm.force = arm_axis.force;
    arm.pressure_a = arm_axis.a;
    arm.pressure_b = arm_axis.b;
    coupler_axis.initial_force = coupler.initial_force;
    coupler_axis.command = coupler.command;
    coupler_axis.position = coupler.position;
    coupler_axis.velocity = coupler.velocity;
    coupler_axis.supply = pump_pressure;
    coupler_axis.load = load;
    coupler.force = coupler_axis.force;
    coupler.pressure_a = coupler_axis.a;
    coupler.pressure_b = coupler_axis.b;
    slew_axis.initial_force = slew.initial_force;
    slew_axis.command = slew.command;
    slew_axis.position = slew.position;
    slew_axis.velocity = slew.velocity;
    slew_axis.supply = pump_pressure;
    slew_axis.load = load;
    slew.force = slew_axis.force;
    slew.pressure_a = slew_axis.a;
    slew.pressure_b = slew_axis.b;
    rotate_axis.initial_force = rotate.initial_force;
    rotate_axis.command = rotate.command;
    rotate_axis.position = rotate.position;
    rotate_axis.velocity = rotate.velocity;
    rotate_axis.supply = pump_pressure;
    rotate_axis.load = load;
    rotate.force = rotate_axis.force;
    rotate.pressure_a = rotate_axis.a;
    rotate.pressure_b = rotate_axis.b;
    jaw_axis.initial_force = jaw.initial_force;
    jaw_axis.command = jaw.command;
    jaw_axis.position = jaw.position;
    jaw_axis.velocity = jaw.velocity;
    jaw_axis.supply = pump_pressure;
    jaw_axis.load = load;
    jaw.force = jaw_axis.force;
    jaw.pressure_a = jaw_axis.a;
    jaw.pressure_b = jaw_axis.b;
    travel_axis.initial_force = travel.initial_force;
    travel_axis.command = travel.command;
    travel_axis.position = travel.position;
    travel_axis.velocity = travel.velocity;
    travel_axis.supply = pump_pressure;
    travel_axis.load = load;
    travel.force = travel_axis.force;
    travel.pressure_a = travel_axis.a;
    travel.pressure_b = travel_axis.b;

    load = noEvent(min(relief_pressure - margin, max(travel_axis.sensed, max(jaw_axis.sensed, max(rotate_axis.sensed, max(slew_axis.sensed, max(coupler_axis.sensed, max(arm_axis.sensed, max(adjust_axis.sensed, max(0, boom_axis.sensed))))))))));
    draw = boom_axis.draw + adjust_axis.draw + arm_axis.draw + coupler_axis.draw + slew_axis.draw + rotate_axis.draw + jaw_axis.draw + travel_axis.draw;
    lost = relief_gain * noEvent(max(0, pump_pressure - relief_pressure)) + pump_leak * pump_pressure;
    demand = noEvent(min(min(max_flow_rate, max_power / max(pump_pressure, 1e6)), max(0, gain * (load + margin - pump_pressure))));
    delivered = noEvent(if max_delivered_power > 0 then min(pump_flow, max_delivered_power / max(pump_pressure, 1e6)) else pump_flow);
    der(pump_pressure) = bulk_modulus / volume * (delivered - draw - lost);
    der(pump_flow) = (demand - pump_flow) / lag;
    supply.pressure = pump_pressure;
    supply.flow_rate = delivered;
    supply.power = pump_pressure * delivered;

    der(energy.pump) = pump_pressure * delivered;
    der(energy.throttle_in) = boom_axis.throttle_in + adjust_axis.throttle_in + arm_axis.throttle_in + coupler_axis.throttle_in + slew_axis.throttle_in + rotate_axis.throttle_in + jaw_axis.throttle_in + travel_axis.throttle_in;
    der(energy.throttle_out) = boom_axis.throttle_out + adjust_axis.throttle_out + arm_axis.throttle_out + coupler_axis.throttle_out + slew_axis.throttle_out + rotate_axis.throttle_out + jaw_axis.throttle_out + travel_axis.throttle_out;
    der(energy.leak) = boom_axis.leak + adjust_axis.leak + arm_axis.leak + coupler_axis.leak + slew_axis.leak + rotate_axis.leak + jaw_axis.leak + travel_axis.leak;
    der(energy.relief) = boom_axis.relief + adjust_axis.relief + arm_axis.relief + coupler_axis.relief + slew_axis.relief + rotate_axis.relief + jaw_axis.relief + travel_axis.relief + pump_pressure * lost;
    der(energy.compression) = boom_axis.compression + adjust_axis.compression + arm_axis.compression + coupler_axis.compression + slew_axis.compression + rotate_axis.compression + jaw_axis.compression + travel_axis.compression + pump_pressure * (delivered - draw - lost);
    der(energy.work) = boom_axis.work + adjust_axis.work + arm_axis.work + coupler_axis.work + slew_axis.work + rotate_axis.work + jaw_axis.work + travel_axis.work;
  end Plant;

  model BoomPlant "The boom alone, without what the plant adds to it: power limit, counterbalance valve, chamber reliefs"
    AxisPort boom;
    SupplyPort supply;
    Ledger energy;

    parameter Real volume = 3e-3 "Of the supply line";
    parameter Real max_flow_rate = 2.6666666666666666e-3;
    parameter Real gain = 1.333e-9 "Pump flow per missing pressure";
    parameter Real margin = 2e6 "Of the pump above the load";
    parameter Real lag = 0.02;
    parameter Real relief_pressure = 28e6;
    parameter Real relief_gain = 1.3335e-9;
    parameter Real pump_leak = 4e-12;
    parameter Real bulk_modulus = 1e9;

    Axis boom_axis(overlap = 1e-4, port_gain = 0);

    Real pump_pressure(start = 2e6, nominal = 1e9);
    Real pump_flow(start = 8e-6, nominal = 1);
    Real load;
    Real lost "Flow through relief valve and leaks of the pump";
    Real demand;
  equation
    boom_axis.initial_force = boom.initial_force;
    boom_axis.command = boom.command;
    boom_axis.position = boom.position;
    boom_axis.velocity = boom.velocity;
    boom_axis.supply = pump_pressure;
    boom_axis.load = load;
    boom.force = boom_axis.force;
    boom.pressure_a = boom_axis.a;
    boom.pressure_b = boom_axis.b;

    load = noEvent(max(0, boom_axis.sensed));
    lost = relief_gain * noEvent(max(0, pump_pressure - relief_pressure)) + pump_leak * pump_pressure;
    demand = noEvent(min(max_flow_rate, max(0, gain * (load + margin - pump_pressure))));
    der(pump_pressure) = bulk_modulus / volume * (pump_flow - boom_axis.draw - lost);
    der(pump_flow) = (demand - pump_flow) / lag;
    supply.pressure = pump_pressure;
    supply.flow_rate = pump_flow;
    supply.power = pump_pressure * pump_flow;

    der(energy.pump) = pump_pressure * pump_flow;
    der(energy.throttle_in) = 1 * boom_axis.throttle_in;
    der(energy.throttle_out) = 1 * boom_axis.throttle_out;
    der(energy.leak) = 1 * boom_axis.leak;
    der(energy.relief) = boom_axis.relief + lost * pump_pressure;
    der(energy.compression) = boom_axis.compression + (pump_flow - boom_axis.draw - lost) * pump_pressure;
    der(energy.work) = 1 * boom_axis.work;
  end BoomPlant;
end Hydraulics;
