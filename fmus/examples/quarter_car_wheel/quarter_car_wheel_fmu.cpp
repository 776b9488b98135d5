#include "fmus/common/declaring/instance_of.hpp"
#include "models/examples/quarter_car_wheel/quarter_car_wheel.hpp"

namespace {

class QuarterCarWheelFmu final : public fmus::InstanceOf<models::QuarterCarWheel> {
public:
    QuarterCarWheelFmu() {
        about({.description = "Wheel and suspension of a quarter car: velocity in, force out",
               .stop = 5,
               .step = 0.001,
               .linear = true});
        parameter("m", "kg", model_.parameters.m).min(0).describe("Mass");
        parameter("k_tyre", "N/m", model_.parameters.k_tyre).describe("Stiffness of the tyre");
        parameter("k", "N/m", model_.parameters.k).describe("Stiffness of the suspension");
        parameter("d", "N.s/m", model_.parameters.d).describe("Damping of the suspension");
        parameter("ground", "m", model_.parameters.ground).describe("Height of the ground");
        input("v_c", "m/s", model_.inputs.v_c).describe("Velocity of the chassis");
        output("F", "N", model_.outputs.F).depends_on({"z_w", "v_w", "p", "v_c"}).describe("Force of the suspension");
        output("z_w", "m", model_.state.z).describe("Position");
        derivative("der(z_w)", "m/s", model_.rates.z, "z_w").depends_on({"v_w"});
        local("v_w", "m/s", model_.state.v).describe("Velocity");
        derivative("der(v_w)", "m/s2", model_.rates.v, "v_w").depends_on({"z_w", "v_w", "p", "v_c"});
        local("p", "m", model_.state.p).describe("Position of the chassis, from its velocity");
        derivative("der(p)", "m/s", model_.rates.p, "p").depends_on({"v_c"});
    }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<QuarterCarWheelFmu>(); }
