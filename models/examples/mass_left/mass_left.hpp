#pragma once

#include <numbers>

namespace models {

/// A mass on a wall spring under a force from outside: m x'' = -k x + F.
struct MassLeft {
    struct Parameters {
        double m = 1;
        double k = 4 * std::numbers::pi * std::numbers::pi;
        double x0 = 1, v0 = 0;
    } parameters;
    struct Inputs {
        double F = 0;
    } inputs;
    struct State {
        double x = 0, v = 0;
    } state, rates;

    void initialize(double) { state = {.x = parameters.x0, .v = parameters.v0}; }
    void evaluate(double) {
        rates.x = state.v;
        rates.v = (-parameters.k * state.x + inputs.F) / parameters.m;
    }
};

}  // namespace models
