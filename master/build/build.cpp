#include "master/build/build.hpp"

#include "master/base/error.hpp"
#include "master/base/patterns.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <unordered_map>

namespace master::build {
namespace {

constexpr std::size_t largest_recorded_array = 16;

std::string element_name(const std::string& base, const core::Variable& variable, std::size_t element) {
    if (variable.dimensions.empty()) return base;
    std::string indices;
    for (std::size_t d = variable.dimensions.size(); d-- > 0;) {
        const std::uint64_t extent = std::max<std::uint64_t>(1, variable.dimensions[d]);
        indices.insert(0, fmt::format("{}{}", element % extent + 1, indices.empty() ? "" : ","));
        element /= extent;
    }
    return base + "[" + indices + "]";
}

/// What a run records, decided by names before units are bound.
class Recording {
public:
    Recording(const Parts& parts, const BuildOptions& options) : parts_(parts), options_(options) {
        single_ = options.single_fmu();
        connected_.resize(parts.components.size());
        for (const core::PlannedWire& wire : parts.plan.wires) connected_[wire.to.unit][wire.to.variable] = true;
        options.record.empty() ? select_default() : select_patterns();
    }

    /// Variables to read from each unit; connected inputs are known without asking.
    [[nodiscard]] std::vector<std::vector<std::uint32_t>> variables() const {
        std::vector<std::vector<std::uint32_t>> result(parts_.components.size());
        for (const auto& [unit, variable] : chosen_) {
            if (!connected_[unit].contains(variable)) result[unit].push_back(variable);
        }
        return result;
    }

    [[nodiscard]] std::vector<core::Column> columns(core::System& system) const {
        std::vector<core::Column> result;
        for (const auto& [unit, variable] : chosen_) {
            const core::Node& node = system.nodes()[unit];
            const core::Variable& v = parts_.components[unit].info->variables[variable];
            const bool input = connected_[unit].contains(variable);
            const core::Layout::Slot* slot = (input ? node.inputs : node.outputs).find(variable);
            for (std::uint32_t i = 0; i < v.size; ++i) {
                core::Column column;
                column.name = element_name(name(unit, v), v, i);
                column.unit = v.unit;
                column.description = v.description;
                column.type = v.type;
                column.input = input;
                column.index = (input ? node.input_base : node.output_base)[core::index_of(v.type)] + slot->offset + i;
                column.fixed = v.variability == core::Variability::constant ||
                               v.variability == core::Variability::fixed || v.variability == core::Variability::tunable;
                result.push_back(std::move(column));
            }
        }
        return result;
    }

private:
    [[nodiscard]] std::string name(std::size_t unit, const core::Variable& variable) const {
        return single_ && unit == 0 ? variable.name : parts_.plan.units[unit].name + "." + variable.name;
    }

    void select_default() {
        for (std::uint32_t unit = 0; unit < parts_.components.size(); ++unit) {
            if (parts_.components[unit].table && single_) continue;
            const auto& variables = parts_.components[unit].info->variables;
            for (std::uint32_t v = 0; v < variables.size(); ++v) {
                const core::Variable& variable = variables[v];
                if (variable.size > largest_recorded_array) continue;
                if (variable.type == core::Type::bytes || variable.type == core::Type::clock) continue;
                const auto wished = [&](const std::string& pattern) {
                    return base::matches(pattern, name(unit, variable));
                };
                if (variable.causality != core::Causality::output && std::ranges::none_of(options_.also_record, wished))
                    continue;
                chosen_.emplace_back(unit, v);
            }
        }
    }

    void select_patterns() {
        std::vector<std::string> names;
        std::vector<std::pair<std::uint32_t, std::uint32_t>> candidates;
        for (std::uint32_t unit = 0; unit < parts_.components.size(); ++unit) {
            const auto& variables = parts_.components[unit].info->variables;
            for (std::uint32_t v = 0; v < variables.size(); ++v) {
                if (variables[v].type == core::Type::clock || variables[v].causality == core::Causality::independent)
                    continue;
                names.push_back(name(unit, variables[v]));
                candidates.emplace_back(unit, v);
            }
        }
        for (const std::size_t index : base::select(names, options_.record)) chosen_.push_back(candidates[index]);
    }

    const Parts& parts_;
    const BuildOptions& options_;
    bool single_ = false;
    std::vector<std::unordered_map<std::uint32_t, bool>> connected_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> chosen_;  // unit, variable
};

/// Finds what a scenario drives or watches: a boundary connector, `component.variable`, or a variable of a single FMU.
struct Target {
    core::Endpoint end;
    double gain = 1, offset = 0;
};

/// A variable by its name, `component.variable`, or the name alone in a single FMU.
std::optional<core::Endpoint> find_variable(const Parts& parts, const std::string& wanted) {
    const bool single = parts.components.size() == 1;
    for (std::uint32_t unit = 0; unit < parts.components.size(); ++unit) {
        const auto& variables = parts.components[unit].info->variables;
        for (std::uint32_t v = 0; v < variables.size(); ++v) {
            const std::string path = parts.plan.units[unit].name + "." + variables[v].name;
            if (path == wanted || (single && variables[v].name == wanted)) return core::Endpoint{unit, v, 0};
        }
    }
    return std::nullopt;
}

std::vector<Target> find_targets(const Parts& parts, const BuildOptions::Named& named, bool to_drive) {
    const std::string& wanted = named.name;
    std::vector<Target> found;
    std::vector<std::string> names;
    for (const core::BoundaryPort& port : parts.plan.boundary) {
        if (port.input != to_drive) continue;
        names.push_back(port.name);
        if (port.name == wanted) found.push_back({port.inner, port.gain, port.offset});
    }
    const bool single = parts.components.size() == 1;
    for (std::uint32_t unit = 0; unit < parts.components.size() && found.empty(); ++unit) {
        const auto& variables = parts.components[unit].info->variables;
        for (std::uint32_t v = 0; v < variables.size(); ++v) {
            if (to_drive && !variables[v].can_set_during_run) continue;
            const std::string path = parts.plan.units[unit].name + "." + variables[v].name;
            names.push_back(path);
            if (path == wanted || (single && variables[v].name == wanted)) found.push_back({{unit, v, 0}});
        }
    }
    if (found.empty()) {
        throw base::Error(
            "scenario", named.where,
            fmt::format("'{}' is no {} of the system{}", wanted,
                        to_drive ? "free input or tunable parameter" : "variable", base::did_you_mean(wanted, names)));
    }
    if (!to_drive) return found;
    for (const Target& target : found) {
        for (const core::PlannedWire& wire : parts.plan.wires) {
            if (wire.to.unit != target.end.unit || wire.to.variable != target.end.variable) continue;
            throw base::Error("scenario", named.where,
                              fmt::format("'{}' is driven by the connection {}", wanted, wire.label));
        }
    }
    return found;
}

core::Handle make_handle(core::System& system, const std::string& name, const Target& target) {
    const core::Node& node = system.nodes()[target.end.unit];
    const core::Layout::Slot* input = node.inputs.find(target.end.variable);
    const core::Layout::Slot* slot = input != nullptr ? input : node.outputs.find(target.end.variable);
    const auto& base = input != nullptr ? node.input_base : node.output_base;
    return {.name = name,
            .type = slot->type,
            .input = input != nullptr,
            .index = base[core::index_of(slot->type)] + slot->offset + target.end.element,
            .gain = target.gain,
            .offset = target.offset};
}

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

}  // namespace

Simulation build(const BuildOptions& options, base::Diagnostics& diagnostics, base::Log& log) {
    Simulation simulation;
    simulation.parts = read_parts(options, diagnostics);
    Parts& parts = simulation.parts;
    const std::string algorithm = !options.algorithm.empty()      ? options.algorithm
                                  : !parts.plan.algorithm.empty() ? parts.plan.algorithm
                                                                  : "jacobi";
    simulation.method =
        &core::find_algorithm(algorithm, options.algorithm.empty() ? parts.description.algorithm_where : "--algorithm");
    simulation.timing = make_timing(parts, options, diagnostics);
    const Timing& timing = simulation.timing;
    const Recording recording(parts, options);

    core::SystemOptions system_options;
    system_options.timebase = timing.timebase;
    system_options.periods = timing.periods;
    system_options.start = timing.start - timing.lead;
    if (timing.ends_together) system_options.stop = timing.stop;
    system_options.tolerance = options.tolerance ? options.tolerance : parts.plan.tolerance;
    system_options.hold = parse_hold(options.hold);
    system_options.recorded = recording.variables();
    system_options.free_inputs.resize(parts.components.size());
    system_options.order = parts.plan.order;
    system_options.sequential = simulation.method->sequential;
    std::vector<std::pair<std::string, Target>> driven, watched;
    for (const BuildOptions::Named& wanted : options.driven) {
        for (const Target& target : find_targets(parts, wanted, true)) {
            driven.emplace_back(wanted.name, target);
            system_options.free_inputs[target.end.unit].push_back(target.end.variable);
        }
    }
    for (const BuildOptions::Named& wanted : options.watched) {
        const Target target = find_targets(parts, wanted, false).front();
        watched.emplace_back(wanted.name, target);
        system_options.recorded[target.end.unit].push_back(target.end.variable);
    }

    std::vector<std::optional<Target>> observed;
    for (const std::string& name : options.observed) {
        const std::optional<core::Endpoint> end = find_variable(parts, name);
        observed.push_back(end ? std::optional(Target{*end}) : std::nullopt);
        if (end) system_options.recorded[end->unit].push_back(end->variable);
    }

    std::vector<std::unique_ptr<core::Unit>> units = make_units(parts, timing.timebase, log);
    simulation.system =
        std::make_unique<core::System>(parts.plan, std::move(units), std::move(system_options), diagnostics);
    simulation.algorithm = simulation.method->make({.threads = options.threads});
    simulation.columns = recording.columns(*simulation.system);
    for (const auto& [name, target] : driven) {
        simulation.driven.push_back(make_handle(*simulation.system, name, target));
    }
    for (const auto& [name, target] : watched) {
        simulation.watched.push_back(make_handle(*simulation.system, name, target));
    }
    for (std::size_t i = 0; i < observed.size(); ++i) {
        if (!observed[i]) {
            simulation.observed.emplace_back();
            continue;
        }
        core::Handle handle = make_handle(*simulation.system, options.observed[i], *observed[i]);
        const core::Endpoint& end = observed[i]->end;
        handle.dimensions = parts.components[end.unit].info->variables[end.variable].dimensions;
        simulation.observed.emplace_back(std::move(handle));
    }
    return simulation;
}

}  // namespace master::build
