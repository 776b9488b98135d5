#include "fmus/common/declaring/instance_of.hpp"
#include "models/examples/mass_left/mass_left.hpp"

namespace {

class MassLeftFmu final : public fmus::InstanceOf<models::MassLeft> {
public:
    MassLeftFmu() {
        about({.description = "A mass on a wall spring: force in, displacement out", .linear = true});
        parameter("m", "kg", model_.parameters.m).min(0).describe("Mass");
        parameter("k", "N/m", model_.parameters.k).describe("Stiffness of the wall spring");
        parameter("x0", "m", model_.parameters.x0).describe("Displacement at the start");
        parameter("v0", "m/s", model_.parameters.v0).describe("Velocity at the start");
        input("F", "N", model_.inputs.F).describe("Force on the mass");
        output("x", "m", model_.state.x).describe("Displacement");
        derivative("der(x)", "m/s", model_.rates.x, "x").depends_on({"v"});
        local("v", "m/s", model_.state.v).describe("Velocity");
        derivative("der(v)", "m/s2", model_.rates.v, "v").depends_on({"x", "F"});
        terminal({.name = "flange", .members = {{"F", "force"}, {"x", "displacement"}}});
    }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<MassLeftFmu>(); }
