#pragma once

#include "master/build/parts.hpp"
#include "master/core/system.hpp"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace master::build {

/// When everything happens: exact, and checked against what the units accept.
struct Timing {
    base::Timebase timebase;
    base::Time start, stop;
    base::Duration lead;  // before the start, to settle
    std::vector<base::Duration> periods;
    base::Duration hyperperiod;
    base::Fraction step;  // of the system
    std::string step_origin;
    std::vector<base::Time> extra_points;  // beside the grids: every unit's step ends there; sorted
    bool ends_together = true;             // every unit's last step ends at `stop`
    bool paced = false;                    // by a clock: no point is laid beside the grids
};

/// The first component that must be stepped by whole periods; empty when none must.
[[nodiscard]] std::string component_with_fixed_step(const Parts& parts);

[[nodiscard]] Timing make_timing(const Parts& parts, const BuildOptions& options, base::Diagnostics& diagnostics);

/// Tables and scenarios jump at their own times. Where that is between two points of a receiver that does not look
/// inside its step, a point is laid there; where a unit cannot vary its step, says what happens to the jump instead.
void lay_points_at_jumps(Timing& timing, const Parts& parts, std::span<const std::unique_ptr<core::Unit>> units,
                         const core::SystemOptions& options, base::Diagnostics& diagnostics);

}  // namespace master::build
