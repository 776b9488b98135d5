#include "models/work/control/reference.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using models::control::Reference;

TEST_CASE("a reference follows a ramp of targets with its speed and rests at the last one") {
    Reference reference;
    reference.rest_at(0.1);
    constexpr double h = 1e-3, speed = 0.05;
    double fastest = 0, last = reference.position;
    for (int k = 0; k < 2000; ++k) {
        if (k % 100 == 0 && k < 1000)
            reference.aim(0.1 + speed * 1e-3 * (k + 100), 0.1, {.speed = 0.08, .acceleration = 0.3});
        reference.step(h);
        CHECK(std::abs(reference.position - last) < 0.11 * h);
        last = reference.position;
        if (k > 300 && k < 950) fastest = std::max(fastest, std::abs(reference.velocity - speed));
    }
    CHECK(fastest < 1e-6);
    CHECK(reference.rests());
    CHECK(reference.position == Approx(0.15).margin(1e-12));
    CHECK(reference.velocity == 0);
}

TEST_CASE("a far target is approached within the limits") {
    Reference reference;
    reference.rest_at(0);
    reference.aim(0.4, 0.1, {.speed = 0.08, .acceleration = 0.3});
    double speed = 0, acceleration = 0;
    int steps = 0;
    while (!reference.rests() && steps < 100000) {
        reference.step(1e-3);
        speed = std::max(speed, std::abs(reference.velocity));
        acceleration = std::max(acceleration, std::abs(reference.acceleration));
        ++steps;
    }
    CHECK(speed <= 0.08 * (1 + 1e-9));
    CHECK(acceleration <= 0.3 * (1 + 1e-9));
    CHECK(reference.position == 0.4);
    CHECK(steps == Approx(7500).margin(2));  // 1.5 x 0.4 m / 0.08 m/s
}
