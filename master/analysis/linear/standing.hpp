#pragma once

#include "master/analysis/linear/linearization.hpp"
#include "master/base/log.hpp"
#include "master/build/simulation.hpp"
#include "master/runs/board.hpp"
#include "master/runs/prepare.hpp"

#include <memory>
#include <string>

namespace master::analysis {

/// A system that is made and initialised for a look at it at some time, and where its signals lie.
struct Standing {
    std::unique_ptr<runs::Scenario> scenario;
    runs::Prepared prepared;
    base::Time at;                       // a point of all units
    build::SignalRequest input, output;  // without an answer where a wire is broken

    [[nodiscard]] build::Simulation& simulation() { return prepared.simulation; }
};

/// Makes it so that it can run until `stop` (s, exact), or until the time asked for where that is empty. Throws `Error`
/// for signals that are no real scalars, and for a time that is no point of all units.
[[nodiscard]] Standing stand(const LinearRequest& request, const std::string& stop, base::Diagnostics& diagnostics,
                             base::Log& log);

/// Runs it from its start to `end`; throws where the run does not get there.
void run_to(Standing& standing, base::Time end, core::Tap* tap, runs::Board* board);

/// The number of a driven signal as whoever drives it sees it.
[[nodiscard]] double driven_value(const build::LocatedSignal& signal, const core::Signals& signals);

}  // namespace master::analysis
