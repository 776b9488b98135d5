#include "fmus/common/declaring/instance_of.hpp"
#include "models/machine/hydraulics/machines.hpp"
#include "models/machine/hydraulics/plant.hpp"

namespace {

constexpr double per_mm = 1e-3, per_percent = 1e-2, per_bar = 1e5, per_kn = 1e3, per_litre_per_minute = 1e-3 / 60;

/// The boom's hydraulic axis as another maker would deliver it: numbered signals without units (mm, mm/s, % in; kN,
/// bar, l/min out), a command that is positive to retract and a force that is positive when it pulls.
struct ForeignAxis {
    struct Inputs {
        double u1 = 0, u2 = 0, u3 = 0;  // mm, mm/s, %
    } inputs;
    struct Outputs {
        double y1 = 0, y2 = 0, y3 = 0, y4 = 0, y5 = 0;  // kN, bar, bar, bar, l/min
    } outputs;
    double p1 = 0;  // kN, pulling, at the start
    models::hydraulics::Plant plant;

    void initialize(double t) {
        plant.parameters.axes[0].initial_force = -per_kn * p1;
        take_inputs();
        plant.initialize(t);
    }
    void evaluate(double t) {
        take_inputs();
        plant.evaluate(t);
        outputs = {.y1 = -plant.outputs.force[0] / per_kn,
                   .y2 = plant.state.fluid.a[0] / per_bar,
                   .y3 = plant.state.fluid.b[0] / per_bar,
                   .y4 = plant.state.fluid.supply / per_bar,
                   .y5 = plant.outputs.flow_rate / per_litre_per_minute};
    }
    void step(double t, double h) {
        take_inputs();
        plant.step(t, h);
        evaluate(t + h);
    }
    auto members() { return std::tie(inputs, outputs, p1, plant); }

private:
    void take_inputs() {
        plant.inputs[0].position = per_mm * inputs.u1;
        plant.inputs[0].velocity = per_mm * inputs.u2;
        plant.inputs[0].command = -per_percent * inputs.u3;
    }
};

class ForeignAxisFmu final : public fmus::InstanceOf<ForeignAxis> {
public:
    ForeignAxisFmu() {
        about({.description = "A hydraulic axis with the names, units and signs of another maker",
               .stop = 10,
               .step = 1e-3});
        const models::hydraulics::Machine& machine = models::hydraulics::boom_axis();
        model_.plant.parameters = machine.parameters;
        model_.plant.names = machine.names;
        input("u1", "", model_.inputs.u1);
        input("u2", "", model_.inputs.u2);
        input("u3", "", model_.inputs.u3).discrete().min(-100).max(100).describe("Valve, positive retracts");
        output("y1", "", model_.outputs.y1).depends_on({}).describe("Rod, positive when it pulls");
        output("y2", "", model_.outputs.y2).depends_on({});
        output("y3", "", model_.outputs.y3).depends_on({});
        output("y4", "", model_.outputs.y4).depends_on({});
        output("y5", "", model_.outputs.y5).depends_on({});
        parameter("p1", "", model_.p1).describe("Rod at the start, positive when it pulls");
    }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<ForeignAxisFmu>(); }
