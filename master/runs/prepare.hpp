#pragma once

#include "master/runs/scenario.hpp"
#include "master/runs/settle.hpp"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace master::runs {

/// What a run is made from: a system with its options, values over time, and what somebody wants to look at.
struct RunRequest {
    build::BuildOptions build;
    Scenario* scenario = nullptr;                      // null: none; its requests are filled in
    std::vector<build::SignalRequest*> requests = {};  // others to fill in
    /// Makes a tap that sees the events of the start time too; not asked where another time comes before (--settle).
    std::function<core::Tap&(const build::Simulation&)> first_tap = {};
};

/// A simulation that is initialised, settled where that is asked for, and stands at its start.
struct Prepared {
    build::Simulation simulation;
    std::unique_ptr<core::Tap> script;     // plays the scenario; null without one
    std::vector<std::string> corrections;  // of parameters, "component.parameter=value", that settling found
};

[[nodiscard]] Prepared prepare(const RunRequest& request, base::Diagnostics& diagnostics, base::Log& log);
/// The same without a search: with corrections that are known already.
[[nodiscard]] Prepared prepare_with(const RunRequest& request, const std::vector<std::string>& corrections,
                                    base::Diagnostics& diagnostics, base::Log& log);

}  // namespace master::runs
