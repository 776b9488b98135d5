#include "fmus/common/declaring/instance_of.hpp"
#include "models/reference/bouncing_ball/bouncing_ball.hpp"

namespace {

class BouncingBallFmu final : public fmus::InstanceOf<models::BouncingBall> {
public:
    BouncingBallFmu() {
        about({.name = "BouncingBall", .description = "A ball dropped from a height of 1 m", .stop = 3});
        output("h", "m", model_.state.h).exact().describe("Position of the ball");
        derivative("der(h)", "m/s", model_.rates.h, "h").depends_on({"v"});
        output("v", "m/s", model_.state.v).exact().describe("Velocity of the ball");
        derivative("der(v)", "m/s2", model_.rates.v, "v").depends_on({});
        parameter("g", "m/s2", model_.parameters.g).describe("Gravity acting on the ball");
        parameter("e", "1", model_.parameters.e).tunable().min(0.5).max(1).describe("Coefficient of restitution");
        local("v_min", "m/s", model_.v_min).constant().describe("Speed below which the ball stops bouncing");
        event_indicator("z", "m", model_.indicator).depends_on({"h"}).describe("Changes sign at an impact");
    }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<BouncingBallFmu>(); }
