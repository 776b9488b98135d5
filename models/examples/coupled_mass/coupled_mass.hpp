#pragma once

#include <numbers>

namespace models {

/// A mass between a wall spring and a coupling spring, whose other end is moved from outside:
/// m x'' = -k x - F, where F = k12 (x - x_other) is the force in the coupling spring.
struct CoupledMass {
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
    struct Outputs {
        double F = 0;
    } outputs;

    void initialize(double) { state = {.x = parameters.x0, .v = parameters.v0}; }
    void evaluate(double) {
        outputs.F = parameters.k12 * (state.x - inputs.x_other);
        rates.x = state.v;
        rates.v = (-parameters.k * state.x - outputs.F) / parameters.m;
    }
};

}  // namespace models
