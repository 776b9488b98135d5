#pragma once

#include "master/build/build.hpp"

#include <functional>
#include <string>

namespace master::runs {

/// How far from rest a system is after its lead.
struct Rest {
    std::string signal;  // the output that still changes most; empty if none does
    double change = 0;   // per second, relative to the largest value it had on the way or its nominal one
    static constexpr double most = 0.1;
    [[nodiscard]] bool at_rest() const { return change <= most; }
};

/// Runs an initialised simulation from before its start up to the start, with all free inputs held, and looks how much
/// still moves there.
[[nodiscard]] Rest run_lead(build::Simulation& simulation);

/// `--settle`: builds the simulation with a lead of `options.lead` seconds, lets `prepare` initialise it, and runs the
/// lead, so that the run starts from an equilibrium: whatever start values units have, they have forgotten them. Where
/// the system says which parameter starts an output (`Settle` annotations), that parameter is corrected and the lead
/// repeated until the output is at the start of the run where the parameter wanted it, or until a parameter that is but
/// a guess is what the output is at rest.
[[nodiscard]] build::Simulation build_settled(build::BuildOptions options, base::Diagnostics& diagnostics,
                                              base::Log& log, const std::function<void(build::Simulation&)>& prepare);

}  // namespace master::runs
