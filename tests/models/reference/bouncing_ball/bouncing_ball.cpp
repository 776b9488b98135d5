#include "models/reference/bouncing_ball/bouncing_ball.hpp"

#include <catch2/catch.hpp>
#include <cmath>

TEST_CASE("the ball's impacts come at the times of the closed form") {
    models::BouncingBall ball;
    std::vector<double> impacts;
    double t = 0;
    while (impacts.size() < 3) {
        const models::Advance advance = ball.step(t, 0.1);
        t = advance.reached;
        if (advance.event) {
            impacts.push_back(t);
            CHECK(ball.update(t));
        }
    }
    // Printed to nine digits.
    CHECK(std::abs(impacts[0] - 0.451523641) < 5e-10);
    CHECK(std::abs(impacts[1] - 1.083656738) < 5e-10);
    CHECK(std::abs(impacts[2] - 1.526149907) < 5e-10);
}

TEST_CASE("the ball comes to rest on the floor and stays there") {
    models::BouncingBall ball;
    double t = 0;
    while (t < 5) {
        const models::Advance advance = ball.step(t, 5 - t);
        t = advance.reached;
        if (advance.event) ball.update(t);
    }
    CHECK(ball.state.resting);
    CHECK(ball.state.v == 0);
    CHECK(ball.state.h < 1e-300);
    ball.evaluate(t);
    CHECK(ball.indicator > 0);
    CHECK(ball.rates.v == 0);
}

TEST_CASE("a ball thrown upwards without gravity never comes down") {
    models::BouncingBall ball;
    ball.parameters.g = 0;
    ball.state.v = 1;
    CHECK(ball.step(0, 10).reached == 10);
    CHECK(ball.state.h == 11);
}
