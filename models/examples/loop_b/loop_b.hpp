#pragma once

#include <cmath>

namespace models {

/// The other side of a nonlinear algebraic loop: c = sqrt(5 - a^2 - b^2), which is no number for large a or b.
struct LoopB {
    struct Inputs {
        double a = 0, b = 0;
    } inputs;
    struct Outputs {
        double c = 0;
    } outputs;

    void evaluate(double) { outputs.c = std::sqrt(5 - inputs.a * inputs.a - inputs.b * inputs.b); }
};

}  // namespace models
