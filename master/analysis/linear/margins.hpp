#pragma once

#include <complex>
#include <functional>
#include <optional>

namespace master::analysis {

/// How far a loop is from its limit of stability. `at` are frequencies in Hz.
struct Margins {
    struct Gain {
        double factor = 1, at = 0;
    };
    struct Phase {
        double degrees = 0, at = 0;
        double delay = 0;  // s that the loop bears
    };
    std::optional<Gain> upper;    // the least factor above one
    std::optional<Gain> lower;    // the largest factor below one
    std::optional<Phase> phase;   // the least one
    std::optional<double> delay;  // s: the least delay of all crossings
};

/// Of a loop that is closed with a minus: where its gain is one, and where it turns by half a circle. `loop` is asked
/// at frequencies in Hz from `low` to `high`.
[[nodiscard]] Margins margins(const std::function<std::complex<double>(double)>& loop, double low, double high);

}  // namespace master::analysis
