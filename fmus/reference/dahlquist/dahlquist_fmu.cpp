#include "fmus/common/declaring/instance_of.hpp"
#include "models/reference/dahlquist/dahlquist.hpp"

namespace {

class DahlquistFmu final : public fmus::InstanceOf<models::Dahlquist> {
public:
    DahlquistFmu() {
        about(
            {.name = "Dahlquist", .description = "Dahlquist's test equation", .stop = 10, .step = 0.1, .linear = true});
        output("x", "", model_.state.x).exact().describe("The only state");
        derivative("der(x)", "", model_.rates.x, "x").depends_on({"x"});
        parameter("k", "", model_.parameters.k).describe("Decay rate");
    }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<DahlquistFmu>(); }
