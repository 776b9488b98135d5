#include "models/reference/state_space/state_space.hpp"

#include <catch2/catch.hpp>

TEST_CASE("a linear system of changed size multiplies row by row") {
    models::StateSpace system;
    system.sizes = {.m = 1, .n = 2, .r = 3};
    system.configure();
    system.parameters.A = {1, 2, 3, 4};
    system.parameters.B = {5, 6};
    system.parameters.C = {1, 0, 0, 1, 1, 1};
    system.parameters.D = {7, 8, 9};
    system.parameters.x0 = {10, 20};
    system.u = {0.5};
    system.initialize(0);
    system.evaluate(0);
    CHECK(system.rate == models::StateSpace::Vector{52.5, 113});
    CHECK(system.y == models::StateSpace::Vector{13.5, 24, 34.5});
}
