#pragma once

#include "master/report/observer.hpp"
#include "master/runs/session.hpp"

namespace master::runs {

/// Looks whether a finished run reached the goals of its system. A missed one decides how the run ended, unless the run
/// failed or was ended before the system's own stop: then it is a note.
void judge_goals(const report::ReportFile& wishes, const report::Observer& observer,
                 const build::Simulation& simulation, const build::BuildOptions& options, Outcome& outcome,
                 base::Diagnostics& diagnostics);

/// Goals about signals that this system does not have: one report file serves all systems of a folder, and a name may
/// be misspelt.
void note_unjudged_goals(const report::ReportFile& wishes, const build::Parts& parts, base::Diagnostics& diagnostics);

}  // namespace master::runs
