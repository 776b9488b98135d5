#include "fmus/common/declaring/instance_of.hpp"
#include "models/examples/affine/affine.hpp"

namespace {

class AffineFmu final : public fmus::InstanceOf<models::Affine> {
public:
    AffineFmu() {
        about({.description = "y = a u + b", .linear = true});
        parameter("a", "1", model_.parameters.a).describe("Gain");
        parameter("b", "1", model_.parameters.b).describe("Offset");
        input("u", "1", model_.inputs.u).describe("Input");
        output("y", "1", model_.outputs.y).depends_on({"u"}).describe("Output");
    }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<AffineFmu>(); }
