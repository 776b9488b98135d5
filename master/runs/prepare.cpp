#include "master/runs/prepare.hpp"

#include "master/base/error.hpp"
#include "master/build/requests/record_selection.hpp"
#include "master/core/setup/initialization.hpp"
#include "master/runs/script.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <unordered_map>

namespace master::runs {
namespace {

/// What units refused to give when they were initialised is not recorded; who else asked for it cannot be served.
void leave_out_withheld(build::Simulation& simulation, build::SignalRequests requests, base::Diagnostics& diagnostics) {
    for (const core::Node& node : simulation.system->nodes()) {
        for (const std::uint32_t variable : node.unit->withheld()) {
            const core::Layout::Slot& slot = *node.outputs.find(variable);
            const std::string& name = node.unit->info().variables[variable].name;
            const std::uint32_t first = node.output_base[core::index_of(slot.type)] + slot.offset;
            const auto lies_there = [&](const core::SignalRef& ref) {
                return !ref.input && ref.type == slot.type && ref.index >= first && ref.index < first + slot.count;
            };
            const std::string where = "unit '" + node.name + "'";
            for (const build::SignalRequest* request : requests)
                if (std::ranges::any_of(request->found, [&](const auto& found) { return lies_there(found.first); }))
                    throw base::Error(
                        "fmu-error", where,
                        fmt::format("refuses to give '{}', which {} asks for{}", name,
                                    request->where.empty() ? "the run" : request->where, node.unit->last_message()),
                        base::Exit::failed);
            const std::size_t left =
                std::erase_if(simulation.columns, [&](const auto& column) { return lies_there(column.signal); });
            if (left > 0)
                diagnostics.warn(
                    "not-recorded", where,
                    fmt::format("refuses to give '{}', which is not recorded{}", name, node.unit->last_message()));
        }
    }
}

/// Whatever the run says of a value is what the unit had, which need not be what it was given or its description
/// states.
void take_over_what_units_have(build::Simulation& simulation, const build::BuildOptions& options) {
    bool changed = false;
    for (std::size_t i = 0; i < simulation.parts.plan.units.size(); ++i) {
        std::unordered_map<std::uint32_t, const core::Value*> kept;
        for (const core::Assignment& had : simulation.system->nodes()[i].not_taken)
            kept.emplace(had.variable, &had.value);
        if (kept.empty()) continue;
        for (core::EffectiveValue& value : simulation.parts.plan.units[i].effective) {
            const auto found = kept.find(value.variable);
            if (found == kept.end()) continue;
            value.value = *found->second;
            value.origin +=
                value.origin == core::from_description ? ", but the unit has its own" : ", not taken by the unit";
            changed = true;
        }
    }
    if (changed) simulation.constants = build::RecordSelection(simulation.parts, options).constants();
}

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
        made.script = make_script(*request.scenario, *simulation.system, log);
        made.script->before_step(simulation.timing.start, simulation.system->free_inputs());
    }
    core::Tap* const tap = request.first_tap && request.build.lead.empty() ? &request.first_tap(simulation) : nullptr;
    if (tap != nullptr) simulation.system->watch({&tap, 1});
    core::initialize(*simulation.system, diagnostics);
    simulation.system->watch({});
    leave_out_withheld(simulation, requests, diagnostics);
    take_over_what_units_have(simulation, corrected);
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
