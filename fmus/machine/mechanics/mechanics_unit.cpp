#include "fmus/machine/mechanics/mechanics_unit.hpp"

#include "fmus/common/declaring/instance_of.hpp"
#include "fmus/common/machine/machine.hpp"
#include "models/machine/mechanics/mechanics.hpp"

#include <string>
#include <vector>

namespace fmus {

namespace {

class MechanicsUnit final : public InstanceOf<models::Mechanics> {
public:
    explicit MechanicsUnit(PrepareMechanics prepare) : prepare_(prepare) {}

    void declare(const std::string& resources) override {
        const auto machine = read_machine(resources + "machine.urdf");
        model_ = models::Mechanics(machine);
        if (prepare_ != nullptr) prepare_(machine, model_);
        hold_still();
        about({.name = "Mechanics",
               .description = "Multibody dynamics of the machine '" + machine.name + "'",
               .stop = 10,
               .step = 1e-3});
        declare_parameters(machine);
        declare_inputs(machine);
        declare_states(machine);
        declare_outputs(machine);
    }

private:
    using Machine = models::kinematics::Machine;

    /// A unit whose forces nobody sets stands in its start pose, instead of falling into its stops.
    void hold_still() {
        models::Mechanics standing = model_;
        standing.initialize(0);
        standing.evaluate(0);
        for (std::size_t i = 0; i < model_.axis_count(); ++i) model_.inputs.force[i] = standing.outputs.load[i];
    }

    struct Units {
        const char *position, *velocity, *acceleration, *force, *inertia, *stiffness, *damping;
    };
    static constexpr Units linear{"m", "m/s", "m/s2", "N", "kg", "N/m", "N.s/m"};
    static constexpr Units angular{"rad", "rad/s", "rad/s2", "N.m", "kg.m2", "N.m/rad", "N.m.s/rad"};

    [[nodiscard]] static const Units& units_of(const models::kinematics::Joint& joint) {
        return joint.kind == models::kinematics::JointKind::prismatic ? linear : angular;
    }
    [[nodiscard]] static const Units& units_of(const Machine& machine, std::size_t axis) {
        const auto* direct = std::get_if<models::kinematics::Direct>(&machine.axes[axis].drive);
        const bool turns = direct != nullptr && direct->ratio == 1;
        return turns ? units_of(machine.joints[machine.axes[axis].joint]) : linear;
    }
    [[nodiscard]] bool moves(std::size_t axis) const { return !model_.parameters.axes[axis].locked; }
    [[nodiscard]] static std::string joint_of(const Machine& machine, std::size_t axis) {
        return "joint." + machine.joints[machine.axes[axis].joint].name;
    }

    void declare_parameters(const Machine& machine) {
        auto& parameters = model_.parameters;
        for (std::size_t i = 0; i < machine.axes.size(); ++i) {
            const std::string& axis = machine.axes[i].name;
            const Units& units = units_of(machine, i);
            auto& own = parameters.axes[i];
            auto& [coulomb, breakaway, viscous, stribeck_velocity, smoothing_velocity] = own.friction;
            parameter(axis + ".initial_position", units.position, own.initial_position)
                .describe("Position at the start, from the retracted end");
            if (!moves(i)) continue;
            parameter(axis + ".friction.coulomb", units.force, coulomb).min(0).describe("Friction while sliding");
            parameter(axis + ".friction.breakaway", units.force, breakaway).min(0).describe("Friction at standstill");
            parameter(axis + ".friction.viscous", units.damping, viscous).min(0).describe("Friction per velocity");
            parameter(axis + ".friction.stribeck_velocity", units.velocity, stribeck_velocity)
                .min(0)
                .describe("Where friction has fallen from breakaway towards Coulomb friction");
            parameter(axis + ".friction.smoothing_velocity", units.velocity, smoothing_velocity)
                .min(0)
                .describe("Width of the change of sign at standstill");
            parameter(axis + ".end_stop.stiffness", units.stiffness, own.end_stops.stiffness).min(0);
            parameter(axis + ".end_stop.damping", units.damping, own.end_stops.damping)
                .min(0)
                .describe("Acts while the stop is being compressed");
        }
        parameter("friction", parameters.friction).describe("Whether the axes have friction");
        parameter("end_stops", parameters.end_stops).describe("Whether the axes have end stops");
        parameter("tolerance", parameters.tolerance).min(0).describe("Of joint velocities (rad/s, m/s) in one step");
    }

    void declare_inputs(const Machine& machine) {
        for (std::size_t i = 0; i < machine.axes.size(); ++i) {
            if (!moves(i)) continue;
            input(machine.axes[i].name + ".force", units_of(machine, i).force, model_.inputs.force[i])
                .slope(model_.force_slopes[i])
                .describe("Force on the axis, positive extends");
        }
        input("tool.external", model_.inputs.tool)
            .discrete()
            .describe("Force (N), then torque (N m) on the tool at the tool point, in world axes");
        input("pitch", "rad", model_.inputs.pitch).discrete().describe("Of the frame; positive raises the front");
        input("roll", "rad", model_.inputs.roll).discrete().describe("Of the frame; positive raises the left side");
    }

    void declare_states(const Machine& machine) {
        for (std::size_t i = 0; i < machine.axes.size(); ++i) {
            if (!moves(i)) continue;
            const std::size_t coordinate = model_.coordinate_of(i);
            const Units& units = units_of(machine.joints[machine.axes[i].joint]);
            const std::string position = joint_of(machine, i) + ".position",
                              velocity = joint_of(machine, i) + ".velocity";
            positions_.push_back(position);
            velocities_.push_back(velocity);
            local(position, units.position, model_.state.q[coordinate]).describe("Joint coordinate");
            derivative("der(" + position + ")", units.velocity, model_.rates.q[coordinate], position)
                .depends_on({velocity});
            local(velocity, units.velocity, model_.state.v[coordinate]).describe("Its rate");
            derivative("der(" + velocity + ")", units.acceleration, model_.rates.v[coordinate], velocity);
        }
    }

    /// No output depends on a force: positions and velocities are states.
    void declare_outputs(const Machine& machine) {
        std::vector<std::string> leaning = positions_;
        leaning.insert(leaning.end(), {"pitch", "roll"});
        std::vector<std::string> moving = positions_;
        moving.insert(moving.end(), velocities_.begin(), velocities_.end());
        auto& outputs = model_.outputs;
        for (std::size_t i = 0; i < machine.axes.size(); ++i) {
            if (!moves(i)) continue;
            const std::string& axis = machine.axes[i].name;
            const Units& units = units_of(machine, i);
            const std::string joint = joint_of(machine, i);
            output(axis + ".position", units.position, outputs.position[i])
                .depends_on({joint + ".position"})
                .describe("From the retracted end");
            output(axis + ".velocity", units.velocity, outputs.velocity[i])
                .depends_on({joint + ".position", joint + ".velocity"});
            output(axis + ".load", units.force, outputs.load[i])
                .depends_on(leaning)
                .describe("The force that holds the axis against gravity");
            output(axis + ".inertia", units.inertia, outputs.inertia[i])
                .depends_on(positions_)
                .describe("What the axis moves by itself, reduced to its position");
        }
        output("energy.kinetic", "J", outputs.kinetic).depends_on(moving);
        output("energy.potential", "J", outputs.potential).depends_on(leaning).describe("Against the machine's origin");
    }

    PrepareMechanics prepare_;
    std::vector<std::string> positions_, velocities_;  // the states
};

}  // namespace

std::unique_ptr<Instance> make_mechanics(PrepareMechanics prepare) { return std::make_unique<MechanicsUnit>(prepare); }

}  // namespace fmus
