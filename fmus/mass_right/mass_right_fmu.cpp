#include "fmus/common/instance_of.hpp"
#include "models/mass_right/mass_right.hpp"

namespace {

class MassRightFmu final : public fmus::InstanceOf<models::MassRight> {
public:
    MassRightFmu() {
        about({.description = "A mass with the coupling spring: displacement in, force out", .linear = true});
        parameter("m", "kg", model_.parameters.m).min(0).describe("Mass");
        parameter("k", "N/m", model_.parameters.k).describe("Stiffness of the wall spring");
        parameter("k12", "N/m", model_.parameters.k12).describe("Stiffness of the coupling spring");
        parameter("x0", "m", model_.parameters.x0).describe("Displacement at the start");
        parameter("v0", "m/s", model_.parameters.v0).describe("Velocity at the start");
        input("x_left", "m", model_.inputs.x_left).describe("Displacement of the left mass");
        output("x", "m", model_.state.x).describe("Displacement");
        derivative("der(x)", "m/s", model_.rates.x, "x").depends_on({"v"});
        local("v", "m/s", model_.state.v).describe("Velocity");
        derivative("der(v)", "m/s2", model_.rates.v, "v").depends_on({"x", "x_left"});
        output("F", "N", model_.outputs.F).depends_on({"x", "x_left"}).describe("Force in the coupling spring");
        terminal({.name = "flange", .members = {{"F", "force"}, {"x_left", "displacement"}}});
    }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<MassRightFmu>(); }
