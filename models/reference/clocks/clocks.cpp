#include "models/reference/clocks/clocks.hpp"

namespace models {

void Clocks::evaluate(double) {
    outputs = state;
    outputs.in1 += active.in1 ? 1 : 0;
    outputs.in2 += active.in2 ? 1 : 0;
    outputs.in3 += active.in3 ? 1 : 0;
    outputs.total = outputs.in1 + outputs.in2 + outputs.in3;
    if (active.in2) outputs.result2 += inputs.input2;
    if (active.in3) outputs.output3 = 1000 * outputs.in3;
    active.out = outputs.total != state.total && outputs.total / 5 > state.total / 5;
}

bool Clocks::update(double) {
    if (active.in1 && outputs.in1 % 3 == 0) countdown = delay;
    state = outputs;
    return false;
}

}  // namespace models
