#include "fmus/common/declaring/instance_of.hpp"
#include "models/examples/tank_controller/tank_controller.hpp"

namespace {

class TankControllerFmu final : public fmus::InstanceOf<models::TankController> {
public:
    TankControllerFmu() {
        about({.description = "Opens a valve at the upper level, closes it at the lower one", .stop = 10});
        parameter("upper", "m", model_.parameters.upper).describe("Opens at or above");
        parameter("lower", "m", model_.parameters.lower).describe("Closes at or below");
        input("level", "m", model_.inputs.level).describe("Level");
        output("valve", model_.outputs.valve).depends_on({"level"}).describe("Open");
    }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<TankControllerFmu>(); }
