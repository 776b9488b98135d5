#pragma once

namespace models {

/// Van der Pol's oscillator: x0' = x1, x1' = mu (1 - x0^2) x1 - x0.
struct VanDerPol {
    struct Parameters {
        double mu = 1;
    } parameters;
    struct State {
        double x0 = 2, x1 = 0;
    } state;
    struct Rates {
        double x0 = 0, x1 = 0;
    } rates;

    void evaluate(double) {
        rates.x0 = state.x1;
        rates.x1 = parameters.mu * (1 - state.x0 * state.x0) * state.x1 - state.x0;
    }
};

}  // namespace models
