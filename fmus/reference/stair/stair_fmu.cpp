#include "fmus/common/declaring/instance_of.hpp"
#include "models/reference/stair/stair.hpp"

namespace {

class StairFmu final : public fmus::InstanceOf<models::Stair> {
public:
    StairFmu() {
        about({.name = "Stair", .description = "Counts the seconds", .stop = 10, .step = 0.2});
        output("counter", model_.state.counter).exact().depends_on({}).describe("Seconds, counted from 1");
    }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<StairFmu>(); }
