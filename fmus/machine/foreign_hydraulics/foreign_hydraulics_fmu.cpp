#include "fmus/common/declaring/instance_of.hpp"
#include "models/machine/hydraulics/machines.hpp"
#include "models/machine/hydraulics/plant.hpp"

#include <array>

namespace {

constexpr std::size_t count = 4;
constexpr double per_mm = 1e-3, per_percent = 1e-2, per_bar = 1e5, per_kn = 1e3, per_litre_per_minute = 1e-3 / 60;

/// The four cylinders of the arm of the demolition excavator as another maker would deliver them, on a pump of their
/// own: numbered axes, mm, % and kN, a command that is positive to retract and a force that is positive when it pulls.
struct ForeignHydraulics {
    struct Axis {
        double command = 0, way = 0, speed = 0;            // %, mm, m/s
        double force = 0, pressure_a = 0, pressure_b = 0;  // kN, bar
        double first_force = 0;                            // kN
    };
    std::array<Axis, count> axes;
    double supply = 0, flow = 0;  // bar, l/min
    models::hydraulics::Plant plant;

    void initialize(double t) {
        for (std::size_t i = 0; i < count; ++i) plant.parameters.axes[i].initial_force = -per_kn * axes[i].first_force;
        take_inputs();
        plant.initialize(t);
    }
    void evaluate(double t) {
        take_inputs();
        plant.evaluate(t);
        for (std::size_t i = 0; i < count; ++i) {
            axes[i].force = -plant.outputs.force[i] / per_kn;
            axes[i].pressure_a = plant.state.fluid.a[i] / per_bar;
            axes[i].pressure_b = plant.state.fluid.b[i] / per_bar;
        }
        supply = plant.state.fluid.supply / per_bar;
        flow = plant.outputs.flow_rate / per_litre_per_minute;
    }
    void step(double t, double h) {
        take_inputs();
        plant.step(t, h);
        evaluate(t + h);
    }
    auto members() { return std::tie(axes, supply, flow, plant); }

private:
    void take_inputs() {
        for (std::size_t i = 0; i < count; ++i) {
            plant.inputs[i].position = per_mm * axes[i].way;
            plant.inputs[i].velocity = axes[i].speed;
            plant.inputs[i].command = -per_percent * axes[i].command;
        }
    }
};

class ForeignHydraulicsFmu final : public fmus::InstanceOf<ForeignHydraulics> {
public:
    ForeignHydraulicsFmu() {
        about({.description = "Four hydraulic axes with the names, units and signs of another maker",
               .stop = 10,
               .step = 1e-3});
        const models::hydraulics::Machine machine = models::hydraulics::demolition_excavator();
        model_.plant.parameters = machine.parameters;
        model_.plant.parameters.count = count;
        model_.plant.names = machine.names;
        for (std::size_t i = 0; i < count; ++i) {
            const std::string axis = "Z" + std::to_string(i + 1) + "_";
            ForeignHydraulics::Axis& values = model_.axes[i];
            input(axis + "Ventil", "%", values.command).discrete().min(-100).max(100).describe("Positive retracts");
            input(axis + "Weg", "mm", values.way);
            input(axis + "Tempo", "m/s", values.speed);
            output(axis + "Kraft", "kN", values.force).depends_on({}).describe("Positive when it pulls");
            output(axis + "pA", "bar", values.pressure_a).depends_on({});
            output(axis + "pB", "bar", values.pressure_b).depends_on({});
            parameter(axis + "Kraft0", "kN", values.first_force).describe("At the start, positive when it pulls");
        }
        output("pP", "bar", model_.supply).depends_on({});
        output("QP", "l/min", model_.flow).depends_on({});
    }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<ForeignHydraulicsFmu>(); }
