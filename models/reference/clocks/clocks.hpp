#pragma once

#include <cstdint>
#include <optional>

namespace models {

/// Counts the ticks of three input clocks. Every third tick of the first starts a countdown for the third; the output
/// clock ticks with every fifth tick of all.
struct Clocks {
    struct Active {
        bool in1 = false, in2 = false, in3 = false, out = false;
    } active;
    struct Inputs {
        std::int32_t input2 = 0;
    } inputs;
    struct Counts {
        std::int32_t in1 = 0, in2 = 0, in3 = 0, total = 0, result2 = 0, output3 = 0;
    } state, outputs;
    std::optional<double> countdown;  // seconds to the next tick of the third clock, when it is new
    static constexpr double delay = 0.5;

    /// What holds while the active clocks tick; the counts become state with `update`.
    void evaluate(double);
    bool update(double);
};

}  // namespace models
