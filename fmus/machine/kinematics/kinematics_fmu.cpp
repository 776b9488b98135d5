#include "fmus/common/machine/machine.hpp"
#include "fmus/site/wall/ring_unit.hpp"
#include "models/machine/posture/posture.hpp"

#include <cmath>

namespace {

using models::kinematics::Direct;
using models::kinematics::Machine;
using models::posture::Posture;

class KinematicsFmu final : public fmus::RingUnit<Posture> {
public:
    void declare(const std::string& resources) override {
        const Machine machine = fmus::read_machine(resources + "machine.urdf");
        model_ = Posture(machine);
        about({.name = "Kinematics",
               .description = "Poses and sensors of the machine '" + machine.name + "'",
               .stop = 10,
               .step = 0.01});
        declare_wall();
        declare_inputs(machine);
        declare_poses(machine);
        declare_sensors(machine);
        declare_collision();
    }

private:
    void declare_wall() {
        declare_ring(model_.ring);
        input("heights", "m", model_.inputs.heights)
            .discrete()
            .dimensions({"n_phi", "n_r"})
            .describe("Of the wall's top vertices above its base");
    }

    void declare_inputs(const Machine& machine) {
        auto& [position, velocity, pitch, roll, heights] = model_.inputs;
        for (std::size_t i = 0; i < machine.axes.size(); ++i) {
            const std::string& axis = machine.axes[i].name;
            const bool turns = turns_directly(machine, i);
            poses_follow_.push_back(axis + ".position");
            const models::kinematics::Limits& accepted = model_.axes()[i].accepted();
            auto place = input(axis + ".position", turns ? "rad" : "m", position[i]);
            place.discrete().describe("Position of the axis");
            if (std::isfinite(accepted.lower)) place.min(accepted.lower);
            if (std::isfinite(accepted.upper)) place.max(accepted.upper);
            input(axis + ".velocity", turns ? "rad/s" : "m/s", velocity[i]).discrete().describe("Its velocity");
        }
        input("pitch", "rad", pitch).discrete().describe("Of the frame; positive raises the front");
        input("roll", "rad", roll).discrete().describe("Of the frame; positive raises the left side");
        poses_follow_.insert(poses_follow_.end(), {"pitch", "roll"});
    }

    void declare_poses(const Machine& machine) {
        auto& outputs = model_.outputs;
        for (std::size_t i = 0; i < machine.axes.size(); ++i) {
            const auto& joint = machine.joints[machine.axes[i].joint];
            const bool slides = joint.kind == models::kinematics::JointKind::prismatic;
            output("joint." + joint.name, slides ? "m" : "rad", outputs.joint[i])
                .discrete()
                .depends_on({machine.axes[i].name + ".position"})
                .describe("Joint coordinate");
        }
        std::string names;
        for (const auto& link : machine.links) names += (names.empty() ? "" : ", ") + link.name;
        output("links.poses", outputs.link_poses)
            .discrete()
            .dimensions({static_cast<int>(machine.links.size()), 7})
            .depends_on(poses_follow_)
            .describe("x y z (m) qx qy qz qw of every link, world: " + names);
        output("tool.pose", outputs.tool_pose)
            .discrete()
            .depends_on(poses_follow_)
            .describe("Tool point: x y z (m) qx qy qz qw, world");
        output("tool.box", "m", outputs.tool_box)
            .discrete()
            .depends_on({})
            .describe("Edge lengths of the chamber around the tool point");
        local("tool.velocity", "m/s", outputs.tool_velocity).discrete().describe("Of the tool point, world");
        output("reach.inside", outputs.inside)
            .depends_on(poses_follow_)
            .describe("Every axis is within its stroke, not beyond an end stop");
    }

    /// What the real machine measures: inclinometers on the links from boom to coupler, a draw-wire (zero at the
    /// retracted end) on the slew cylinder, encoders on what turns directly, an odometer on what travels.
    void declare_sensors(const Machine& machine) {
        auto& outputs = model_.outputs;
        for (const Posture::Inclinometer& sensor : model_.inclinometers())
            output("inclination." + machine.axes[sensor.axis].name, "rad", outputs.inclination[sensor.axis])
                .discrete()
                .depends_on(poses_follow_)
                .describe("Of the link against the horizontal, positive upwards");
        for (std::size_t i = 0; i < machine.axes.size(); ++i) {
            const std::string& axis = machine.axes[i].name;
            const bool inclined = std::any_of(model_.inclinometers().begin(), model_.inclinometers().end(),
                                              [&](const auto& sensor) { return sensor.axis == i; });
            if (inclined || !model_.moves_tool(i)) continue;
            if (turns_directly(machine, i))
                output(axis + ".angle", "rad", outputs.measured[i])
                    .discrete()
                    .depends_on({axis + ".position"})
                    .describe("Encoder");
            else
                output(axis + ".length", "m", outputs.measured[i])
                    .discrete()
                    .depends_on({axis + ".position"})
                    .describe("Draw-wire from the retracted end, or odometer");
        }
    }

    void declare_collision() {
        auto& outputs = model_.outputs;
        output("collision.active", outputs.collides).describe("Links overlap, or a link and the wall");
        output("collision.pair", outputs.pair)
            .describe("The deepest pair as rows of links.poses from 0; the wall is -1");
        output("collision.depth", "m", outputs.depth).discrete().describe("How deep they overlap");
    }

    [[nodiscard]] static bool turns_directly(const Machine& machine, std::size_t axis) {
        const auto* drive = std::get_if<Direct>(&machine.axes[axis].drive);
        return drive != nullptr && drive->ratio == 1 &&
               machine.joints[machine.axes[axis].joint].kind == models::kinematics::JointKind::revolute;
    }

    std::vector<std::string> poses_follow_;  // the inputs that move links
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<KinematicsFmu>(); }
