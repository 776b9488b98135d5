#pragma once

#include "master/analysis/linear/standing.hpp"

namespace master::analysis {

/// What is known before a measurement: the system standing at its time, and its modes, empty where nobody knows.
struct BeforeSine {
    Standing& standing;
    const Modes& modes;
};

/// Two runs of the system itself, each at one amplitude: the input turns at one frequency after the other from that
/// time on, and what the output does is fitted by that frequency, its harmonics, a constant and a drift.
[[nodiscard]] SteppedSine stepped_sine(const LinearRequest& request, const BeforeSine& before,
                                       base::Diagnostics& diagnostics, base::Log& log, runs::Board* board);

}  // namespace master::analysis
