#pragma once

namespace models {

/// y = a u + b, without memory.
struct Affine {
    struct Parameters {
        double a = 1, b = 0;
    } parameters;
    struct Inputs {
        double u = 0;
    } inputs;
    struct Outputs {
        double y = 0;
    } outputs;

    void evaluate(double) { outputs.y = parameters.a * inputs.u + parameters.b; }
};

}  // namespace models
