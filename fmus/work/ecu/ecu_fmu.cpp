#include "fmus/common/declaring/instance_of.hpp"
#include "fmus/common/machine/machine.hpp"
#include "models/work/control/ecu.hpp"

namespace {

using models::control::Ecu;
using models::control::Status;
using models::kinematics::Machine;
using models::kinematics::Sensors;

class EcuFmu final : public fmus::InstanceOf<Ecu> {
public:
    void declare(const std::string& resources) override {
        const Machine machine = fmus::read_machine(resources + "machine.urdf");
        model_ = Ecu(machine);
        models::control::tune(model_);
        about({.name = "Ecu",
               .description = "Controls the axes of the machine '" + machine.name + "' to target positions",
               .stop = 10,
               .step = 1e-3});
        enumeration<Status>({"Status", {{"disabled", 0}, {"ready", 1}, {"moving", 2}, {"fault", 3}}});
        for (std::size_t i = 0; i < machine.axes.size(); ++i) declare_axis(i);
        auto& [target, readings, pressures, enable] = model_.inputs;
        input("pitch", "rad", readings.pitch).discrete().describe("Of the frame; positive raises the front");
        input("roll", "rad", readings.roll).discrete().describe("Of the frame; positive raises the left side");
        input("jaw.pressure_a", "Pa", pressures.a).discrete().describe("In the chamber that closes the jaw");
        input("jaw.pressure_b", "Pa", pressures.b).discrete().describe("In the chamber that opens the jaw");
        input("enable", enable).describe("Off: the valves close");
        output("status", model_.outputs.status)
            .depends_on({})
            .describe("ready: every axis is at its target; fault: an axis does not follow, until enable is off");
        parameter("period", "s", model_.parameters.period).describe("Time between two targets");
        parameter("stop_time", "s", model_.parameters.stop_time).describe("In which commands fade when switched off");
        auto& jaw = model_.parameters.jaw;
        parameter("jaw.relief_pressure", "Pa", jaw.relief_pressure).describe("Of the supply");
        parameter("jaw.pressure_share", jaw.share).describe("Of the relief pressure: the jaw stands");
    }

private:
    models::Advance step_model(double t, double h) override {
        const Status before = model_.outputs.status;
        model_.step(t, h);
        if (model_.outputs.status == Status::fault && before != Status::fault)
            report(fmus::Status::warning, model_.explanation());
        return {.reached = t + h};
    }

    void declare_axis(std::size_t i) {
        const Sensors& sensors = model_.sensors();
        const std::string& name = sensors.axes()[i].name();
        const bool senses = sensors.kind(i) != Sensors::Kind::none;
        const Sensors::Signal signal = sensors.signal(i);
        const bool rotary = senses && signal.name == name + ".angle";
        const std::string length = rotary ? "rad" : "m", speed = length + "/s";
        input(name + ".target", length, model_.inputs.target[i]).discrete().describe("Position to go to");
        if (senses)
            input(signal.name, signal.unit, model_.inputs.readings.values[i]).discrete().describe(signal.description);
        output(name + ".command", "1", model_.outputs.command[i])
            .discrete()
            .min(-1)
            .max(1)
            .depends_on({})
            .describe("Valve command");
        auto& axis = model_.parameters.axes[i];
        auto& speeds = model_.is_jaw(i) ? model_.parameters.jaw.speeds : axis.speeds;
        parameter(name + ".speed_extend", speed, speeds.extend).tunable().describe("At full positive command");
        parameter(name + ".speed_retract", speed, speeds.retract).tunable().describe("At full negative command");
        if (model_.is_jaw(i)) {
            local("jaw.estimate", "m", model_.state.jaw.estimate).discrete().describe("Position by time and pressure");
            return;
        }
        parameter(name + ".acceleration", speed + "2", axis.acceleration).tunable().describe("Of the reference");
        parameter(name + ".lag", "s", axis.lag).tunable().describe("Of the speed behind the command");
        parameter(name + ".proportional_gain", "1/s", axis.proportional_gain).tunable().describe("Speed per error");
        parameter(name + ".integral_gain", "1/s2", axis.integral_gain).tunable().describe("Speed per integrated error");
        parameter(name + ".tolerance", length, axis.tolerance)
            .tunable()
            .describe("Error at which a valve closes at rest");
        parameter(name + ".largest_error", length, axis.largest_error)
            .tunable()
            .describe("A lasting larger one is a fault");
        local(name + ".reference", length, model_.state.reference[i].position)
            .discrete()
            .describe("Where it should be");
        local(name + ".measured", length, model_.state.position[i]).discrete().describe("Where it is, by its sensor");
    }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<EcuFmu>(); }
