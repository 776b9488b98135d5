#include "fmus/common/declaring/instance_of.hpp"
#include "models/examples/dahlquist_coupled/dahlquist_coupled.hpp"

namespace {

class DahlquistCoupledFmu final : public fmus::InstanceOf<models::DahlquistCoupled> {
public:
    DahlquistCoupledFmu() {
        about({.description = "x' = -x + g u, solved exactly", .linear = true});
        parameter("g", "1", model_.parameters.g).describe("Gain of the input");
        parameter("x0", "1", model_.parameters.x0).describe("State at the start");
        input("u", "1", model_.inputs.u).slope(model_.slopes.u).describe("Input");
        output("x", "1", model_.state.x).describe("State");
        derivative("der(x)", "1/s", model_.rates.x, "x").depends_on({"x", "u"});
    }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<DahlquistCoupledFmu>(); }
