#pragma once

namespace models {

/// Switches a heater by hysteresis around a set point, looking at the temperature once per step. Its interface is the
/// technician's: temperatures in degrees Celsius, power in kilowatts.
struct Thermostat {
    struct Parameters {
        double T_set_celsius = 20, band_kelvin = 1, power_kilowatt = 2;
    } parameters;
    struct Inputs {
        double T_celsius = 20;
    } inputs;
    struct State {
        bool heating = false;
    } state, decision;
    struct Outputs {
        double power_kilowatt = 0;
    } outputs;

    void evaluate(double) {
        const double limit = parameters.T_set_celsius + (state.heating ? 0.5 : -0.5) * parameters.band_kelvin;
        decision.heating = inputs.T_celsius < limit;
        outputs.power_kilowatt = decision.heating ? parameters.power_kilowatt : 0;
    }
    void step(double t, double) {
        evaluate(t);
        state = decision;
    }
};

}  // namespace models
