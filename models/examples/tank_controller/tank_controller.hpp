#pragma once

namespace models {

/// Opens a valve at the upper level and closes it at the lower one, looking at the level once per step.
struct TankController {
    struct Parameters {
        double upper = 2, lower = 1;
    } parameters;
    struct Inputs {
        double level = 0;
    } inputs;
    struct State {
        bool valve = false;
    } state, outputs;

    void evaluate(double) {
        outputs.valve = state.valve ? inputs.level > parameters.lower : inputs.level >= parameters.upper;
    }
    void step(double t, double) {
        evaluate(t);
        state = outputs;
    }
};

}  // namespace models
