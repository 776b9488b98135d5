#pragma once

#include "master/report/observer.hpp"
#include "master/runs/session.hpp"

namespace master::runs {

/// Looks whether a finished run reached the goals of its system. A missed one decides how the run ended, unless the run
/// failed or was ended before the system's own stop: then it is a note.
void judge_goals(const report::ReportFile& wishes, const report::Observer& observer,
                 const build::Simulation& simulation, const build::BuildOptions& options, Outcome& outcome,
                 base::Diagnostics& diagnostics);

}  // namespace master::runs
