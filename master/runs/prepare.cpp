#include "master/runs/prepare.hpp"

#include "master/core/setup/initialization.hpp"
#include "master/runs/script.hpp"

#include <algorithm>
#include <iterator>

namespace master::runs {
namespace {

/// Up to the beginning of the lead.
Prepared initialized(const RunRequest& request, const std::vector<std::string>& corrections,
                     base::Diagnostics& diagnostics, base::Log& log) {
    build::BuildOptions corrected = request.build;
    corrected.set.insert(corrected.set.end(), corrections.begin(), corrections.end());
    std::vector<build::SignalRequest*> requests;
    if (request.scenario != nullptr) requests = request.scenario->requests();
    std::ranges::copy(request.requests, std::back_inserter(requests));
    Prepared made{.simulation = build::make_simulation(corrected, requests, diagnostics, log),
                  .script = nullptr,
                  .corrections = corrections};
    build::Simulation& simulation = made.simulation;
    if (request.scenario != nullptr) {
        request.scenario->begin = simulation.timing.timebase.seconds(simulation.timing.start);
        made.script = make_script(*request.scenario, simulation.timing.timebase, log);
        made.script->before_step(simulation.timing.start, simulation.system->free_inputs());
    }
    core::Tap* const tap = request.first_tap && request.build.lead.empty() ? &request.first_tap(simulation) : nullptr;
    if (tap != nullptr) simulation.system->watch({&tap, 1});
    core::initialize(*simulation.system, diagnostics);
    simulation.system->watch({});
    return made;
}

}  // namespace

Prepared prepare(const RunRequest& request, base::Diagnostics& diagnostics, base::Log& log) {
    if (request.build.lead.empty()) return initialized(request, {}, diagnostics, log);
    Prepared last;
    build::Simulation settled = settle(
        [&](const std::vector<std::string>& corrections) {
            last = initialized(request, corrections, diagnostics, log);
            return std::move(last.simulation);
        },
        diagnostics);
    last.simulation = std::move(settled);
    return last;
}

Prepared prepare_with(const RunRequest& request, const std::vector<std::string>& corrections,
                      base::Diagnostics& diagnostics, base::Log& log) {
    Prepared made = initialized(request, corrections, diagnostics, log);
    if (!request.build.lead.empty()) static_cast<void>(run_lead(made.simulation));
    return made;
}

}  // namespace master::runs
