#pragma once

#include <cmath>

namespace models {

/// x' = -x + g u, advanced exactly for an input that is a straight line over the step.
struct DahlquistCoupled {
    struct Parameters {
        double g = 1, x0 = 1;
    } parameters;
    struct Inputs {
        double u = 0;
    } inputs, slopes;
    struct State {
        double x = 0;
    } state, rates;

    void initialize(double) { state.x = parameters.x0; }
    void evaluate(double) { rates.x = -state.x + parameters.g * inputs.u; }
    void step(double, double h) {
        const double decay = std::exp(-h);
        const double held = -std::expm1(-h);  // answer to a unit step
        state.x = decay * state.x + parameters.g * (held * inputs.u + (h - held) * slopes.u);
    }
};

}  // namespace models
