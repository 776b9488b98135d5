#pragma once

#include <numbers>

namespace models {

/// One mass between a wall spring and a coupling spring, whose other end is moved from outside:
/// m x'' = -k x + k12 (x_other - x).
struct Oscillator {
    struct Parameters {
        double m = 1;
        double k = 4 * std::numbers::pi * std::numbers::pi;
        double k12 = 16 * std::numbers::pi * std::numbers::pi;
        double x0 = 0, v0 = 0;
    } parameters;
    struct Inputs {
        double x_other = 0;
    } inputs;
    struct State {
        double x = 0, v = 0;
    } state, rates;

    void initialize(double) { state = {.x = parameters.x0, .v = parameters.v0}; }
    void evaluate(double) {
        rates.x = state.v;
        rates.v = (-parameters.k * state.x + parameters.k12 * (inputs.x_other - state.x)) / parameters.m;
    }
};

}  // namespace models
