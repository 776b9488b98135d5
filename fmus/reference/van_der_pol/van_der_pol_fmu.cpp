#include "fmus/common/declaring/instance_of.hpp"
#include "models/reference/van_der_pol/van_der_pol.hpp"

namespace {

class VanDerPolFmu final : public fmus::InstanceOf<models::VanDerPol> {
public:
    VanDerPolFmu() {
        about({.name = "VanDerPol", .description = "Van der Pol's oscillator", .stop = 20});
        output("x0", model_.state.x0).exact().describe("The first state");
        derivative("der(x0)", "", model_.rates.x0, "x0").depends_on({"x1"});
        output("x1", model_.state.x1).exact().describe("The second state");
        derivative("der(x1)", "", model_.rates.x1, "x1").depends_on({"x0", "x1"});
        parameter("mu", model_.parameters.mu).describe("Strength of the damping");
    }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<VanDerPolFmu>(); }
