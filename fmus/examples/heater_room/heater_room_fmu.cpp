#include "fmus/common/declaring/instance_of.hpp"
#include "models/examples/heater_room/heater_room.hpp"

namespace {

class HeaterRoomFmu final : public fmus::InstanceOf<models::HeaterRoom> {
public:
    HeaterRoomFmu() {
        about({.description = "A heated room, in SI units", .stop = 3600, .step = 10, .linear = true});
        parameter("C", "J/K", model_.parameters.C).min(0).describe("Heat capacity");
        parameter("G", "W/K", model_.parameters.G).min(0).describe("Heat loss per temperature difference");
        parameter("T0", "K", model_.parameters.T0).min(0).describe("Temperature at the start");
        input("P", "W", model_.inputs.P).discrete().describe("Heating power");
        input("T_ambient", "K", model_.inputs.T_ambient).min(0).describe("Temperature outside");
        output("T", "K", model_.state.T).nominal(300).describe("Temperature inside");
        derivative("der(T)", "K/s", model_.rates.T, "T").depends_on({"T", "P", "T_ambient"});
    }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<HeaterRoomFmu>(); }
