#include "fmus/common/declaring/instance_of.hpp"
#include "models/examples/loop_b/loop_b.hpp"

namespace {

class LoopBFmu final : public fmus::InstanceOf<models::LoopB> {
public:
    LoopBFmu() {
        about({.description = "c = sqrt(5 - a^2 - b^2)"});
        input("a", "1", model_.inputs.a);
        input("b", "1", model_.inputs.b);
        output("c", "1", model_.outputs.c).depends_on({"a", "b"});
    }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<LoopBFmu>(); }
