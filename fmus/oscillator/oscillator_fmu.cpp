#include "fmus/common/instance_of.hpp"
#include "models/oscillator/oscillator.hpp"

namespace {

class OscillatorFmu final : public fmus::InstanceOf<models::Oscillator> {
public:
    OscillatorFmu() {
        about({.description = "One half of a two-mass oscillator: displacement in, displacement out", .linear = true});
        parameter("m", "kg", model_.parameters.m).min(0).describe("Mass");
        parameter("k", "N/m", model_.parameters.k).describe("Stiffness of the wall spring");
        parameter("k12", "N/m", model_.parameters.k12).describe("Stiffness of the coupling spring");
        parameter("x0", "m", model_.parameters.x0).describe("Displacement at the start");
        parameter("v0", "m/s", model_.parameters.v0).describe("Velocity at the start");
        input("x_other", "m", model_.inputs.x_other).describe("Displacement of the other mass");
        output("x", "m", model_.state.x).describe("Displacement");
        derivative("der(x)", "m/s", model_.rates.x, "x").depends_on({"v"});
        local("v", "m/s", model_.state.v).describe("Velocity");
        derivative("der(v)", "m/s2", model_.rates.v, "v").depends_on({"x", "x_other"});
    }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<OscillatorFmu>(); }
