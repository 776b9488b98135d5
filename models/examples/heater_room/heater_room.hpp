#pragma once

namespace models {

/// A room that is heated and loses heat to its surroundings: C T' = P - G (T - T_ambient). Temperatures in kelvin.
struct HeaterRoom {
    struct Parameters {
        double C = 60e3, G = 50, T0 = 288.15;
    } parameters;
    struct Inputs {
        double P = 0, T_ambient = 278.15;
    } inputs;
    struct State {
        double T = 0;
    } state, rates;

    void initialize(double) { state.T = parameters.T0; }
    void evaluate(double) { rates.T = (inputs.P - parameters.G * (state.T - inputs.T_ambient)) / parameters.C; }
};

}  // namespace models
