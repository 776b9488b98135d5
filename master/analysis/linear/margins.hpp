#pragma once

#include "master/analysis/linear/state_space.hpp"

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

/// Of a loop that is closed with a minus: where its gain is one, and where it turns by half a circle, at rest and at
/// half the rate of a sampled one too. Looked for wherever its poles and zeros let it change, however slow it is.
[[nodiscard]] Margins margins(const StateSpace& loop);

}  // namespace master::analysis
