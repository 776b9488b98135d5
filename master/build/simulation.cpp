#include "master/build/simulation.hpp"

#include "master/base/error.hpp"
#include "master/build/algorithm_choice.hpp"
#include "master/build/outside.hpp"
#include "master/build/requests/record_selection.hpp"
#include "master/build/requests/request_resolver.hpp"

#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>

namespace master::build {
namespace {

std::optional<core::Hold> parse_hold(const std::string& text) {
    static const std::map<std::string, core::Hold> known{{"auto", core::Hold::automatic},
                                                         {"constant", core::Hold::constant},
                                                         {"compensated", core::Hold::compensated},
                                                         {"linear", core::Hold::linear}};
    if (text.empty()) return std::nullopt;
    const auto found = known.find(text);
    if (found != known.end()) return found->second;
    throw base::Error("hold", "--hold",
                      fmt::format("unknown hold '{}', known: auto, constant, compensated, linear", text));
}

/// Before its first row a table has the values of that row.
void note_late_tables(const Parts& parts, const Timing& timing, base::Diagnostics& diagnostics) {
    const double start = timing.timebase.seconds(timing.start);
    for (std::size_t i = 0; i < parts.components.size(); ++i) {
        const core::Unit* table = parts.components[i].table.get();
        if (table == nullptr || table->foresight() == nullptr) continue;
        const double first = table->foresight()->next_corner(0, -std::numeric_limits<double>::infinity());
        if (!(std::isfinite(first) && first > start)) continue;
        diagnostics.note(
            "input", parts.description.components[i].name,
            fmt::format("the table begins at {} s, the run at {} s: until then the values of its first row "
                        "are held",
                        first, start));
    }
}

}  // namespace

Simulation make_simulation(const BuildOptions& options, SignalRequests requests, base::Diagnostics& diagnostics,
                           base::Log& log) {
    Simulation simulation;
    simulation.parts = read_parts(options, diagnostics, true, requests);
    Parts& parts = simulation.parts;
    set_up_teleoperation(parts, options);
    simulation.outside = set_up_outside(parts, options, diagnostics);
    diagnostics.throw_if_errors();
    const AlgorithmChoice choice = choose_algorithm(parts, options, diagnostics);
    simulation.method = &core::find_algorithm(choice.name, choice.where);
    simulation.method_reason = choice.reason;
    simulation.timing = make_timing(parts, options, diagnostics);
    const Timing& timing = simulation.timing;
    note_late_tables(parts, timing, diagnostics);
    const RecordSelection recorded(parts, options);

    core::SystemOptions system_options;
    system_options.timebase = timing.timebase;
    system_options.periods = timing.periods;
    system_options.start = timing.start - timing.lead;
    if (timing.ends_together) system_options.stop = timing.stop;
    system_options.tolerance = options.tolerance ? options.tolerance : parts.plan.tolerance;
    system_options.solver_factor = options.solver_factor;
    system_options.hold = parse_hold(options.hold);
    system_options.recorded = recorded.variables();
    system_options.free_inputs.resize(parts.components.size());
    system_options.order = parts.plan.order;
    system_options.sequential = simulation.method->sequential;
    const RequestResolver resolver(parts, requests);
    resolver.select(system_options);
    resolver.report_overruled(timing.timebase.seconds(timing.start), diagnostics);
    const OpenInputs open(parts, options, system_options);

    std::vector<std::unique_ptr<core::Unit>> units = make_units(parts, timing.timebase, log);
    lay_points_at_jumps(simulation.timing, parts, units, system_options, diagnostics);
    system_options.extra_points = timing.extra_points;
    simulation.system =
        std::make_unique<core::System>(parts.plan, std::move(units), std::move(system_options), diagnostics);
    simulation.algorithm = simulation.method->make({.threads = options.threads});
    simulation.columns = recorded.columns(*simulation.system);
    simulation.constants = recorded.constants();
    simulation.open_inputs = open.located(*simulation.system);
    resolver.fill(*simulation.system);
    return simulation;
}

}  // namespace master::build
