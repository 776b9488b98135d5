#pragma once

#include "master/build/simulation.hpp"

#include <functional>
#include <string>
#include <vector>

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

/// Makes an initialised simulation with a lead, its parameters set to `corrections` ("component.parameter=value").
using MakeSimulation = std::function<build::Simulation(const std::vector<std::string>& corrections)>;

/// `--settle`: makes the simulation and runs its lead, so that the run starts from an equilibrium: whatever start
/// values units have, they have forgotten them. Where the system says which parameter starts an output (`Settle`
/// annotations), that parameter is corrected and the lead repeated until the output is at the start of the run where
/// the parameter wanted it, or until a parameter that is but a guess is what the output is at rest.
[[nodiscard]] build::Simulation settle(const MakeSimulation& make, base::Diagnostics& diagnostics);

}  // namespace master::runs
