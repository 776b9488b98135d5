#pragma once

namespace models {

/// The body of a quarter car, held by the suspension force only: m z'' = -F.
struct QuarterCarChassis {
    struct Parameters {
        double m = 400;
    } parameters;
    struct Inputs {
        double F = 0;
    } inputs;
    struct State {
        double z = 0, v = 0;
    } state, rates;

    void evaluate(double) { rates = {.z = state.v, .v = -inputs.F / parameters.m}; }
};

}  // namespace models
