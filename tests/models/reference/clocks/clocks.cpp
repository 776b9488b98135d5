#include "models/reference/clocks/clocks.hpp"

#include <catch2/catch.hpp>

namespace {

void tick(models::Clocks& model, bool models::Clocks::Active::*clock) {
    model.active = {};
    model.active.*clock = true;
    model.evaluate(0);
}

}  // namespace

TEST_CASE("counts appear while a clock ticks and stay after the update") {
    models::Clocks model;
    tick(model, &models::Clocks::Active::in1);
    CHECK(model.outputs.in1 == 1);
    CHECK(model.state.in1 == 0);
    model.evaluate(0);
    CHECK(model.outputs.in1 == 1);
    model.update(0);
    model.active = {};
    model.evaluate(0);
    CHECK(model.outputs.in1 == 1);
}

TEST_CASE("every third tick of the first clock starts a countdown, every fifth of all ticks the output clock") {
    models::Clocks model;
    for (int i = 1; i <= 10; ++i) {
        tick(model, &models::Clocks::Active::in1);
        CHECK(model.active.out == (i % 5 == 0));
        model.countdown.reset();
        model.update(i);
        CHECK(model.countdown.has_value() == (i % 3 == 0));
    }
}

TEST_CASE("the second clock adds its input to its result") {
    models::Clocks model;
    model.inputs.input2 = 7;
    for (int i = 0; i < 3; ++i) {
        tick(model, &models::Clocks::Active::in2);
        model.update(i);
    }
    CHECK(model.state.result2 == 21);
}
