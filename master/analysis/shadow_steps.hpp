#pragma once

#include "master/build/simulation.hpp"

#include <string>
#include <vector>

namespace master::analysis {

/// The steps of a run's shadows, and where they are compared with it.
struct ShadowSteps {
    std::string missing;                      // why there is none
    std::vector<base::Fraction> twice, half;  // of every unit; empty: no such shadow
    std::vector<std::string> seem_sampled;    // units whose step is taken for their sampling time
    std::string stop_twice, stop_half;        // as an option
    base::Duration spacing;                   // of the points, in ticks of the run
    std::size_t points = 0;                   // with the one at the start
    base::Duration opening_spacing;           // every step of the run, at its beginning
    std::size_t opening_points = 0;
    std::string stop_opening;  // of a shadow at half the step that sees the beginning alone
};

/// Units that exchange continuous signals get other steps; those that are sampled by design keep theirs.
[[nodiscard]] ShadowSteps shadow_steps(build::Simulation& simulation, std::size_t most_points,
                                       std::size_t most_opening_points);

}  // namespace master::analysis
