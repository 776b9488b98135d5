#include "fmus/common/declaring/instance_of.hpp"
#include "models/examples/loop_a/loop_a.hpp"

namespace {

class LoopAFmu final : public fmus::InstanceOf<models::LoopA> {
public:
    LoopAFmu() {
        about({.description = "a = 1.8 - c, b = -1.8", .linear = true});
        input("c", "1", model_.inputs.c);
        output("a", "1", model_.outputs.a).depends_on({"c"});
        output("b", "1", model_.outputs.b).depends_on({});
    }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<LoopAFmu>(); }
