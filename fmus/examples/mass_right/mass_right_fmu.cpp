#include "fmus/examples/coupled_mass/coupled_mass_unit.hpp"

namespace {

class MassRightFmu final : public fmus::CoupledMassUnit {
public:
    MassRightFmu() {
        about({.description = "A mass with the coupling spring: displacement in, force out", .linear = true});
        declare_mass("x_left", "Displacement of the left mass");
        output("F", "N", model_.outputs.F).depends_on({"x", "x_left"}).describe("Force in the coupling spring");
        terminal({.name = "flange", .members = {{"F", "force"}, {"x_left", "displacement"}}});
    }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<MassRightFmu>(); }
