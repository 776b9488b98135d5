#include "fmus/common/declaring/instance_of.hpp"
#include "fmus/common/machine/machine.hpp"
#include "models/work/planning/automation.hpp"

namespace {

using models::control::Status;
using models::kinematics::Machine;
using models::kinematics::Sensors;
using models::planning::Automation;
using models::planning::Phase;

class AutomationFmu final : public fmus::InstanceOf<Automation> {
public:
    void declare(const std::string& resources) override {
        const Machine machine = fmus::read_machine(resources + "machine.urdf");
        model_ = Automation(machine);
        about({.name = "Automation",
               .description = "Demolishes a segment of a ring wall with the machine '" + machine.name + "'",
               .stop = 400,
               .step = 0.1});
        declare_enumerations();
        declare_inputs();
        declare_outputs();
        declare_parameters();
    }

private:
    void declare_enumerations() {
        enumeration<Status>({"Status", {{"disabled", 0}, {"ready", 1}, {"moving", 2}, {"fault", 3}}});
        fmus::Enumeration phases{"Phase", {}};
        for (const char* name : {"idle",
                                 "wait_for_edge",
                                 "choose",
                                 "approach",
                                 "lower",
                                 "close",
                                 "open",
                                 "retract",
                                 "verify",
                                 "travel",
                                 "done",
                                 "stopped_edge_invalid",
                                 "stopped_edge_frozen",
                                 "stopped_edge_missing",
                                 "stopped_out_of_reach",
                                 "stopped_not_following",
                                 "stopped_not_verified",
                                 "stopped_controller_fault",
                                 "stopped_sensor_fault",
                                 "stopped_rim_not_low"})
            phases.items.emplace_back(name, static_cast<std::int64_t>(phases.items.size()));
        enumeration<Phase>(phases);
    }

    void declare_inputs() {
        auto& inputs = model_.inputs;
        input("start", inputs.start).describe("Begin; what has begun goes on");
        input("edge.height", "m", inputs.edge_height)
            .discrete()
            .describe("Top edge of the wall at 300 azimuths, above the rim that carries the machine");
        input("edge.valid", inputs.edge_valid).describe("Which of them are known");
        input("edge.sequence", inputs.edge_sequence).describe("Number of the estimate; must grow every cycle");
        const Sensors& sensors = model_.mover().sensors();
        for (std::size_t i = 0; i < sensors.axis_count(); ++i) {
            if (sensors.kind(i) == Sensors::Kind::none) continue;
            const Sensors::Signal signal = sensors.signal(i);
            input(signal.name, signal.unit, inputs.readings.values[i]).discrete().describe(signal.description);
        }
        input("pitch", "rad", inputs.readings.pitch).discrete().describe("Of the frame; positive raises the front");
        input("roll", "rad", inputs.readings.roll).discrete().describe("Of the frame; positive raises the left side");
        input("status", inputs.status).describe("Of the controller");
    }

    void declare_outputs() {
        auto& [target, enable, phase, bite, progress] = model_.outputs;
        const Sensors& sensors = model_.mover().sensors();
        for (std::size_t i = 0; i < sensors.axis_count(); ++i) {
            const std::string& name = sensors.axes()[i].name();
            const bool rotary = sensors.kind(i) == Sensors::Kind::position && sensors.signal(i).unit == "rad";
            output(name + ".target", rotary ? "rad" : "m", target[i])
                .discrete()
                .depends_on({})
                .describe("Position to go to");
        }
        output("enable", enable).depends_on({}).describe("The controller may move the machine");
        output("phase", phase).depends_on({}).describe("What is done now, or why it stopped");
        output("bite", bite).depends_on({}).describe("Bites so far");
        output("progress", "1", progress)
            .discrete()
            .depends_on({})
            .describe("Share of the segment above the target that is gone, as far as it is known");
        auto& state = model_.state;
        local("tool.along", "m", state.place.along).discrete().describe("Tool along the rim, by the sensors");
        local("tool.bottom", "m", state.place.bottom).discrete().describe("Bottom of its box, by the sensors");
    }

    void declare_parameters() {
        auto& parameters = model_.parameters;
        parameter("segment.start", "m", parameters.segment_start).describe("Along the rim, in the odometer's count");
        parameter("segment.length", "m", parameters.segment_length).describe("Along the rim");
        parameter("segment.target", "m", parameters.target).describe("Height to remain, above the machine's rim");
        parameter("segment.height", "m", parameters.height).describe("Of what is to go, for the progress");
        parameter("ring.radius", "m", parameters.ring_radius).describe("Of the middle of the wall");
        parameter("edge.start", "rad", parameters.edge_start)
            .describe("First azimuth of the edge, from the machine on");
        parameter("edge.span", "rad", parameters.edge_span).describe("From the first to the last azimuth");
        parameter("edge.window", "s", parameters.edge_window).describe("Age of the oldest points in an estimate");
        parameter("edge.patience", "s", parameters.edge_patience).describe("Longest wait for an edge at a column");
        parameter("cut.aim", "m", parameters.aim).describe("What a last bite aims at, above the target");
        parameter("cut.tolerance", "m", parameters.tolerance).describe("Of the finished rim");
        parameter("cut.depth", "m", parameters.depth).describe("Of a bite at most");
        parameter("cut.overlap", "m", parameters.overlap).describe("Of neighbouring bites");
        parameter("cut.clearance", "m", parameters.clearance).describe("Above the wall when moving along it");
        parameter("cut.offset", "m", parameters.offset).describe("Of the tool from the wall's middle, inwards");
        parameter("cut.place_tolerance", "m", parameters.place_tolerance).describe("Of the tool before it bites");
        parameter("travel.near", "m", parameters.near).describe("Distance of the first bite after travelling");
        parameter("travel.front", "m", parameters.front).describe("How far ahead the machine rests on the rim");
        parameter("jaw.open", "m", parameters.jaw_open).describe("Stroke of the jaw around a wall");
        parameter("jaw.clear", "m", parameters.jaw_clear).describe("Stroke at which lowering may begin");
        parameter("jaw.closed", "m", parameters.jaw_closed).describe("Stroke of the closed jaw");
        parameter("speed_share", "1", parameters.speed_share).describe("Of the axes' full speeds that plans use");
        parameter("end_when_done", parameters.end_when_done)
            .describe("End the simulation when the task is done or has stopped");
    }

    models::Advance step_model(double t, double h) override {
        const Phase before = model_.outputs.phase;
        model_.step(t, h);
        if (model_.outputs.phase != before && model_.stopped()) report(fmus::Status::warning, model_.explanation());
        return {.reached = t + h, .event = model_.finished()};  // an event asks whether to end
    }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<AutomationFmu>(); }
