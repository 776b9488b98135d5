#pragma once

namespace models {

/// Wheel, tyre and suspension of a quarter car on a step of the ground. The position of the chassis is the integral of
/// its velocity: m z'' = F - k_tyre (z - ground), F = k (p - z) + d (v_c - v), p' = v_c.
struct QuarterCarWheel {
    struct Parameters {
        double m = 40, k_tyre = 150e3, k = 15e3, d = 1000, ground = 0.1;
    } parameters;
    struct Inputs {
        double v_c = 0;
    } inputs;
    struct State {
        double z = 0, v = 0, p = 0;
    } state, rates;
    struct Outputs {
        double F = 0;
    } outputs;

    void evaluate(double) {
        outputs.F = parameters.k * (state.p - state.z) + parameters.d * (inputs.v_c - state.v);
        rates.z = state.v;
        rates.v = (outputs.F - parameters.k_tyre * (state.z - parameters.ground)) / parameters.m;
        rates.p = inputs.v_c;
    }
};

}  // namespace models
