#pragma once

#include <cmath>

namespace models {

/// A tank with a constant inflow and an outlet in proportion to its volume while the valve is open:
/// V' = inflow - valve outlet V, advanced exactly.
struct Tank {
    struct Parameters {
        double inflow = 1, outlet = 1.09, V0 = 0;
    } parameters;
    struct Inputs {
        bool valve = false;
    } inputs;
    struct State {
        double V = 0;
    } state, rates;
    struct Outputs {
        double level = 0;  // base area 1 m2
    } outputs;

    void initialize(double) { state.V = parameters.V0; }
    void evaluate(double) {
        outputs.level = state.V;
        rates.V = parameters.inflow - (inputs.valve ? parameters.outlet * state.V : 0);
    }
    void step(double, double h) {
        if (!inputs.valve || parameters.outlet == 0) {
            state.V += h * parameters.inflow;
            return;
        }
        const double balance = parameters.inflow / parameters.outlet;
        state.V = balance + (state.V - balance) * std::exp(-parameters.outlet * h);
    }
};

}  // namespace models
