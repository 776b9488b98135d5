#include "fmus/common/declaring/instance_of.hpp"
#include "models/examples/tank/tank.hpp"

namespace {

class TankFmu final : public fmus::InstanceOf<models::Tank> {
public:
    TankFmu() {
        about({.description = "A tank with an outlet valve", .stop = 10});
        parameter("inflow", "m3/s", model_.parameters.inflow).min(0).describe("Inflow");
        parameter("outlet", "1/s", model_.parameters.outlet).min(0).describe("Outflow per volume, valve open");
        parameter("V0", "m3", model_.parameters.V0).min(0).describe("Volume at the start");
        input("valve", model_.inputs.valve).describe("Open");
        output("level", "m", model_.outputs.level).depends_on({"V"}).describe("Level, on a base of 1 m2");
        local("V", "m3", model_.state.V).describe("Volume");
        derivative("der(V)", "m3/s", model_.rates.V, "V").depends_on({"V", "valve"});
    }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<TankFmu>(); }
