#include "fmus/common/declaring/instance_of.hpp"
#include "models/machine/hydraulics/machines.hpp"
#include "models/machine/motion/axes.hpp"

namespace {

class MotionFmu final : public fmus::InstanceOf<models::motion::Axes> {
public:
    MotionFmu() {
        about({.description = "Ideal axes of the demolition excavator: command in, motion out",
               .stop = 10,
               .step = 1e-3});
        const models::hydraulics::Machine machine = models::hydraulics::demolition_excavator();
        model_.parameters.count = machine.parameters.count;
        model_.names = machine.names;
        for (std::size_t i = 0; i < machine.parameters.count; ++i) declare_axis(machine, i);
        parameter("lag", "s", model_.parameters.lag).min(0).describe("Lag of the speeds behind the commands");
        parameter("relief_pressure", "Pa", model_.parameters.relief_pressure)
            .min(0)
            .describe("What the jaw reports at its ends");
    }

private:
    void declare_axis(const models::hydraulics::Machine& machine, std::size_t i) {
        const std::string name(machine.names[i]);
        const std::string length = machine.rotary[i] ? "rad" : "m", speed = length + "/s";
        auto& axis = model_.parameters.axes[i];
        auto& state = model_.state;
        axis.limited = !machine.parameters.axes[i].motor;
        axis.stroke = machine.parameters.axes[i].stroke;
        axis.speeds = machine.speeds[i];
        axis.lower = machine.lower[i];
        // Cylinders start in the middle.
        axis.initial_position = axis.limited ? axis.stroke / 2 : 0;
        input(name + ".command", "1", model_.command[i]).discrete().min(-1).max(1).describe("Valve command");
        output(name + ".position", length, state.position[i])
            .depends_on({})
            .describe("Stroke from the retracted end, angle or path");
        output(name + ".velocity", speed, state.velocity[i]).depends_on({});
        if (name == "jaw") {
            output("jaw.pressure_a", "Pa", state.pressure_a[i])
                .discrete()
                .depends_on({})
                .describe("At the extended end");
            output("jaw.pressure_b", "Pa", state.pressure_b[i])
                .discrete()
                .depends_on({})
                .describe("At the retracted end");
        }
        parameter(name + ".initial_position", length, axis.initial_position).describe("Position at the start");
        if (axis.limited) {
            parameter(name + ".lower", "m", axis.lower)
                .min(0)
                .describe("Where the axis stops before the cylinder's own end");
            parameter(name + ".stroke", "m", axis.stroke).min(0).describe("Stroke of the cylinder");
        }
        parameter(name + ".speed_extend", speed, axis.speeds.extend).min(0).describe("At full positive command");
        parameter(name + ".speed_retract", speed, axis.speeds.retract).min(0).describe("At full negative command");
    }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<MotionFmu>(); }
