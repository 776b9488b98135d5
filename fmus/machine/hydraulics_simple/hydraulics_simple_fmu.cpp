#include "fmus/common/declaring/instance_of.hpp"
#include "models/machine/hydraulics/machines.hpp"
#include "models/machine/hydraulics_simple/servo.hpp"

namespace {

class HydraulicsSimpleFmu final : public fmus::InstanceOf<models::hydraulics_simple::Servo> {
public:
    HydraulicsSimpleFmu() {
        about({.description = "Servo axes of the demolition excavator with the interface of its hydraulics",
               .stop = 10,
               .step = 1e-3});
        const models::hydraulics::Machine machine = models::hydraulics::demolition_excavator();
        model_.parameters.count = machine.parameters.count;
        model_.parameters.supply = machine.parameters.supply;
        model_.names = machine.names;
        for (std::size_t i = 0; i < machine.parameters.count; ++i) declare_axis(machine, i);
        declare_supply();
    }

private:
    void declare_axis(const models::hydraulics::Machine& machine, std::size_t i) {
        const std::string name(machine.names[i]);
        const bool rotary = machine.rotary[i];
        auto& input_of = model_.inputs[i];
        auto& outputs = model_.outputs;
        const std::string position = name + ".position", velocity = name + ".velocity";
        input(name + ".command", "1", input_of.command).discrete().min(-1).max(1).describe("Valve command");
        input(position, rotary ? "rad" : "m", input_of.position)
            .slope(input_of.position_slope)
            .describe("Stroke from the retracted end, angle or path");
        input(velocity, rotary ? "rad/s" : "m/s", input_of.velocity).slope(input_of.velocity_slope);
        // The reference starts where the position is, so that only the velocity reaches the force at the start.
        output(name + ".force", rotary ? "N.m" : "N", outputs.force[i])
            .depends_on({position, velocity})
            .depends_at_start_on({velocity})
            .describe("Positive extends");
        output(name + ".pressure_a", "Pa", outputs.pressure_a[i])
            .depends_on({position, velocity})
            .depends_at_start_on({velocity})
            .describe("Pressure that extends, estimated");
        output(name + ".pressure_b", "Pa", outputs.pressure_b[i])
            .depends_on({position, velocity})
            .depends_at_start_on({velocity})
            .describe("Pressure that retracts, estimated");
        declare_axis_parameters(machine, i);
    }

    void declare_axis_parameters(const models::hydraulics::Machine& machine, std::size_t i) {
        const std::string name(machine.names[i]);
        const bool rotary = machine.rotary[i];
        const std::string speed = rotary ? "rad/s" : "m/s", area = rotary ? "m3/rad" : "m2";
        auto& axis = model_.parameters.axes[i];
        axis.area_a = machine.parameters.axes[i].area_a;
        axis.area_b = machine.parameters.axes[i].area_b;
        axis.stiffness = oil_stiffness(machine.parameters, i);
        axis.damping = (name == "jaw" ? jaw_damping_time : damping_time) * axis.stiffness;
        axis.speeds = machine.speeds[i];
        parameter(name + ".initial_force", rotary ? "N.m" : "N", axis.initial_force).describe("Force at the start");
        parameter(name + ".area_a", area, axis.area_a).min(0).describe("Piston area, or displacement");
        parameter(name + ".area_b", area, axis.area_b).min(0).describe("Ring area, or displacement");
        parameter(name + ".stiffness", rotary ? "N.m/rad" : "N/m", axis.stiffness)
            .min(0)
            .describe("Of the enclosed oil");
        parameter(name + ".damping", rotary ? "N.m.s/rad" : "N.s/m", axis.damping).min(0);
        parameter(name + ".speed_extend", speed, axis.speeds.extend).min(0).describe("At full positive command");
        parameter(name + ".speed_retract", speed, axis.speeds.retract).min(0).describe("At full negative command");
    }

    void declare_supply() {
        auto& parameters = model_.parameters;
        output("supply.pressure", "Pa", model_.state.pressure).depends_on({}).describe("Estimated pump pressure");
        output("supply.flow_rate", "m3/s", model_.state.flow_rate).depends_on({}).describe("Estimated pump flow");
        output("supply.power", "W", model_.outputs.power).depends_on({}).describe("Hydraulic power of the pump");
        parameter("lag", "s", parameters.lag).min(0).describe("Lag of the speeds behind the commands");
        parameter("back_pressure", "Pa", parameters.back_pressure)
            .min(0)
            .describe("In the chamber that carries no load");
        parameter("supply.max_flow_rate", "m3/s", parameters.supply.max_flow_rate).min(0);
        parameter("supply.max_power", "W", parameters.supply.max_power)
            .min(0)
            .describe("Power limit of what the axes ask for, 0 for none");
        parameter("supply.max_delivered_power", "W", parameters.supply.max_delivered_power)
            .min(0)
            .describe("Power limit of what the pump delivers, 0 for none");
        parameter("supply.margin", "Pa", parameters.supply.margin)
            .min(0)
            .describe("Of the pump above the highest load");
        parameter("supply.relief_pressure", "Pa", parameters.supply.relief_pressure)
            .min(0)
            .describe("Times area: the largest force");
    }

    /// Of both chambers with the piston in the middle.
    static double oil_stiffness(const models::hydraulics::Parameters& parameters, std::size_t i) {
        const models::hydraulics::AxisParameters& axis = parameters.axes[i];
        const double half = axis.motor ? 0 : axis.stroke / 2;
        const double a = axis.dead_volume_a + axis.area_a * half, b = axis.dead_volume_b + axis.area_b * half;
        return parameters.oil.bulk_modulus * (axis.area_a * axis.area_a / a + axis.area_b * axis.area_b / b);
    }

    // Damps the boom's 5.7 Hz with a ratio of 0.2, faster axes more.
    static constexpr double damping_time = 0.01;
    // The shells weigh only 220 kg: a force that is held for a step h needs damping < 2 mass / h.
    static constexpr double jaw_damping_time = 0.001;
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<HydraulicsSimpleFmu>(); }
