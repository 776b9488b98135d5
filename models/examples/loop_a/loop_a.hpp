#pragma once

namespace models {

/// One side of a nonlinear algebraic loop: a = 1.8 - c, b = -1.8.
struct LoopA {
    struct Inputs {
        double c = 0;
    } inputs;
    struct Outputs {
        double a = 0, b = 0;
    } outputs;

    void evaluate(double) { outputs = {.a = 1.8 - inputs.c, .b = -1.8}; }
};

}  // namespace models
