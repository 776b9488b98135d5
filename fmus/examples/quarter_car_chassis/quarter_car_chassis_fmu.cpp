#include "fmus/common/declaring/instance_of.hpp"
#include "models/examples/quarter_car_chassis/quarter_car_chassis.hpp"

namespace {

class QuarterCarChassisFmu final : public fmus::InstanceOf<models::QuarterCarChassis> {
public:
    QuarterCarChassisFmu() {
        about(
            {.description = "Body of a quarter car: force in, velocity out", .stop = 5, .step = 0.001, .linear = true});
        parameter("m", "kg", model_.parameters.m).min(0).describe("Mass");
        input("F", "N", model_.inputs.F).describe("Force of the suspension, downwards");
        output("v_c", "m/s", model_.state.v).describe("Velocity");
        derivative("der(v_c)", "m/s2", model_.rates.v, "v_c").depends_on({"F"});
        output("z_c", "m", model_.state.z).describe("Position");
        derivative("der(z_c)", "m/s", model_.rates.z, "z_c").depends_on({"v_c"});
    }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<QuarterCarChassisFmu>(); }
