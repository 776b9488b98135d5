#include "master/build.hpp"

#include "master/error.hpp"
#include "master/resolve.hpp"
#include "master/ssp/read.hpp"
#include "master/table_unit.hpp"
#include "master/taps/selection.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>
#include <unordered_map>

namespace master {
namespace {

constexpr std::size_t largest_recorded_array = 16;
constexpr const char* input_table = "input";

bool is_fmu(const std::filesystem::path& path) { return path.extension() == ".fmu"; }

/// What went wrong with a component's file, in the words of the system that names it.
Error located(const Error& error, const ssp::Component& component) {
    const std::string file = component.source.string();
    const auto said = [&](std::string text) {
        if (file != component.shown)
            for (std::size_t at = text.find(file); at != std::string::npos; at = text.find(file, at))
                text.replace(at, file.size(), component.shown);
        return text;
    };
    std::string text = said(error.what());
    if (component.where != component.shown)
        text += fmt::format("; component '{}' at {}", component.name, component.where);
    return {error.code(), said(error.where()), text, error.exit()};
}

Table read_table(const ssp::Component& component) {
    Table table = read_csv(component.source);
    for (const TableColumn& column : table.columns) {
        const auto* numbers = std::get_if<std::vector<double>>(&column.values);
        if (numbers == nullptr) continue;
        const auto wrong = std::ranges::find_if(*numbers, [](double value) { return std::isnan(value); });
        if (wrong != numbers->end())
            throw Error("nan", table.where(static_cast<std::size_t>(wrong - numbers->begin())),
                        fmt::format("column '{}' is not a number here", column.name));
    }
    return table;
}

/// Each FMU file is unpacked and read once, however many components use it.
void load(Parts& parts, const BuildOptions& options, Diagnostics& diagnostics) {
    if (options.archives == nullptr) parts.archives = std::make_unique<fmi::ArchiveCache>();
    fmi::ArchiveCache& archives = options.archives != nullptr ? *options.archives : *parts.archives;
    std::map<std::filesystem::path, fmi::Fmu*> by_path;
    std::map<std::string, fmi::Fmu*> by_content;
    const auto load_one = [&](const ssp::Component& component, Parts::Component& part) {
        if (component.kind == ssp::Source::table) {
            part.table = std::make_unique<TableUnit>(component.name, read_table(component), Timebase{});
            part.info = &part.table->info();
            return;
        }
        fmi::Fmu*& by_file = by_path[component.source];
        if (by_file == nullptr) {
            const fmi::Archive& archive = archives.get(component.source);
            fmi::Fmu*& same = by_content[archive.sha256()];
            if (same == nullptr) {
                parts.fmus.push_back(std::make_unique<fmi::Fmu>(component.shown, archive, diagnostics));
                same = parts.fmus.back().get();
            }
            by_file = same;
        }
        part.fmu = by_file;
        part.interface =
            part.fmu->interface(options.implementation.empty() ? component.implementation : options.implementation);
        part.info = &part.fmu->chosen(part.interface).info;
    };
    for (const ssp::Component& component : parts.description.components) {
        Parts::Component& part = parts.components.emplace_back();
        if (component.kind == ssp::Source::interface_only) continue;
        try {
            load_one(component, part);
        } catch (const Error& error) {
            throw located(error, component);
        }
    }
}

/// Structural parameters change array sizes, and connections are checked against those.
void resize(Parts& parts, const ResolveOptions& options, Diagnostics& diagnostics) {
    const auto structural = structural_values(parts.description, parts.infos(), options, diagnostics);
    for (std::size_t i = 0; i < structural.size(); ++i) {
        Parts::Component& part = parts.components[i];
        if (structural[i].empty() || part.fmu == nullptr) continue;
        part.resized = std::make_unique<fmi::ModelDescription>(part.fmu->chosen(part.interface));
        fmi::resize_arrays(*part.resized, structural[i]);
        part.info = &part.resized->info;
    }
}

/// `--input FILE.csv` becomes one more component whose columns drive the free inputs of the same names.
void add_input(ssp::Description& description, const std::filesystem::path& file) {
    ssp::Component table;
    table.name = input_table;
    table.kind = ssp::Source::table;
    table.source = file;
    table.shown = table.where = file.string();
    description.components.push_back(std::move(table));
    if (!description.order.empty()) description.order.insert(description.order.begin(), input_table);
}

/// For a single FMU `--set parameter=value` is enough.
void name_component(std::vector<std::string>& set, const std::string& component) {
    for (std::string& assignment : set) {
        if (!assignment.starts_with(component + ".")) assignment.insert(0, component + ".");
    }
}

/// Columns are matched with connectors of the boundary, `component.variable`, or the variables of a single FMU.
void connect_input(Parts& parts, const std::filesystem::path& file) {
    const auto table = static_cast<std::uint32_t>(parts.components.size() - 1);
    const bool single = parts.components.size() == 2;
    const std::string where = file.string() + ":1";
    auto& connections = parts.description.connections;
    std::map<std::string, ssp::Terminal> targets;
    std::vector<std::string> names;
    for (const ssp::Connector& connector : parts.description.boundary) {
        if (connector.kind == ssp::Kind::input) names.push_back(connector.name);
    }
    for (std::uint32_t c = 0; c < table; ++c) {
        if (parts.components[c].info == nullptr) continue;
        for (const Variable& variable : parts.components[c].info->variables) {
            if (!variable.can_set_during_run) continue;
            const std::string name =
                single ? variable.name : parts.description.components[c].name + "." + variable.name;
            targets[name] = {.component = c, .connector = variable.name};
            names.push_back(name);
        }
    }
    for (const Variable& column : parts.components[table].info->variables) {
        const ssp::Terminal from{.component = table, .connector = column.name};
        bool found = false;
        for (ssp::Connection& connection : connections) {
            if (connection.from.component != ssp::Terminal::boundary || connection.from.connector != column.name)
                continue;
            connection.from = from;
            found = true;
        }
        const auto target = targets.find(column.name);
        if (!found && target == targets.end()) {
            throw Error(
                "input", where,
                fmt::format("column '{}' is no input of the system{}", column.name, did_you_mean(column.name, names)));
        }
        if (found) {
            std::erase_if(parts.description.boundary, [&](const auto& port) { return port.name == column.name; });
            continue;
        }
        ssp::Connection connection;
        connection.from = from;
        connection.to = target->second;
        connection.where = where;
        connections.push_back(std::move(connection));
    }
}

bool is_plain(const ssp::Connection& connection) {
    return std::ranges::all_of(connection.hops, [](const ssp::Hop& hop) {
        return hop.transformation.form == ssp::Transformation::Form::none;
    });
}

/// What the receivers of one table's columns want; a column whose receivers disagree keeps the type of its text.
std::map<std::string, Type> wanted_types(const Parts& parts, std::uint32_t table) {
    std::map<std::string, std::set<Type>> wanted;
    for (const ssp::Connection& connection : parts.description.connections) {
        const bool from_table = connection.from.component == table && connection.to.component < parts.components.size();
        if (!from_table || !is_plain(connection)) continue;
        const UnitInfo* receiver = parts.components[connection.to.component].info;
        if (receiver == nullptr || parts.components[table].info == nullptr) continue;
        const auto has_name = [](const std::string& name) {
            return [name](const Variable& v) { return v.name == name; };
        };
        const auto& columns = parts.components[table].info->variables;
        const auto variable = std::ranges::find_if(receiver->variables, has_name(connection.to.connector));
        if (variable == receiver->variables.end() || std::ranges::none_of(columns, has_name(connection.from.connector)))
            continue;
        wanted[connection.from.connector].insert(variable->type);
    }
    std::map<std::string, Type> types;
    for (const auto& [column, all] : wanted) {
        const bool number = all.contains(Type::integer) || all.contains(Type::natural) || all.contains(Type::boolean);
        if (all.size() == 1 && number) types[column] = *all.begin();
    }
    return types;
}

/// Tools write whole numbers and booleans as 1.0: what a column is, its receivers know.
void type_tables(Parts& parts) {
    for (std::uint32_t i = 0; i < parts.components.size(); ++i) {
        Parts::Component& part = parts.components[i];
        if (!part.table) continue;
        const std::map<std::string, Type> types = wanted_types(parts, i);
        if (types.empty()) continue;
        const ssp::Component& component = parts.description.components[i];
        part.table = std::make_unique<TableUnit>(component.name, read_table(component), Timebase{}, types);
        part.info = &part.table->info();
    }
}

std::string element_name(const std::string& base, const Variable& variable, std::size_t element) {
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
        single_ = is_fmu(options.system);
        connected_.resize(parts.components.size());
        for (const PlannedWire& wire : parts.plan.wires) connected_[wire.to.unit][wire.to.variable] = true;
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

    [[nodiscard]] std::vector<Column> columns(System& system) const {
        std::vector<Column> result;
        for (const auto& [unit, variable] : chosen_) {
            const Node& node = system.nodes()[unit];
            const Variable& v = parts_.components[unit].info->variables[variable];
            const bool input = connected_[unit].contains(variable);
            const Layout::Slot* slot = (input ? node.inputs : node.outputs).find(variable);
            for (std::uint32_t i = 0; i < v.size; ++i) {
                Column column;
                column.name = element_name(name(unit, v), v, i);
                column.unit = v.unit;
                column.description = v.description;
                column.type = v.type;
                column.input = input;
                column.index = (input ? node.input_base : node.output_base)[index_of(v.type)] + slot->offset + i;
                column.fixed = v.variability == Variability::constant || v.variability == Variability::fixed ||
                               v.variability == Variability::tunable;
                result.push_back(std::move(column));
            }
        }
        return result;
    }

private:
    [[nodiscard]] std::string name(std::size_t unit, const Variable& variable) const {
        return single_ && unit == 0 ? variable.name : parts_.plan.units[unit].name + "." + variable.name;
    }

    void select_default() {
        for (std::uint32_t unit = 0; unit < parts_.components.size(); ++unit) {
            if (parts_.components[unit].table && single_) continue;
            const auto& variables = parts_.components[unit].info->variables;
            for (std::uint32_t v = 0; v < variables.size(); ++v) {
                const Variable& variable = variables[v];
                if (variable.size > largest_recorded_array) continue;
                if (variable.type == Type::bytes || variable.type == Type::clock) continue;
                const auto wished = [&](const std::string& pattern) {
                    return taps::matches(pattern, name(unit, variable));
                };
                if (variable.causality != Causality::output && std::ranges::none_of(options_.also_record, wished))
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
                if (variables[v].type == Type::clock || variables[v].causality == Causality::independent) continue;
                names.push_back(name(unit, variables[v]));
                candidates.emplace_back(unit, v);
            }
        }
        for (const std::size_t index : taps::select(names, options_.record)) chosen_.push_back(candidates[index]);
    }

    const Parts& parts_;
    const BuildOptions& options_;
    bool single_ = false;
    std::vector<std::unordered_map<std::uint32_t, bool>> connected_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> chosen_;  // unit, variable
};

/// Finds what a scenario drives or watches: a boundary connector, `component.variable`, or a variable of a single FMU.
struct Target {
    Endpoint end;
    double gain = 1, offset = 0;
};

/// A variable by its name, `component.variable`, or the name alone in a single FMU.
std::optional<Endpoint> find_variable(const Parts& parts, const std::string& wanted) {
    const bool single = parts.components.size() == 1;
    for (std::uint32_t unit = 0; unit < parts.components.size(); ++unit) {
        const auto& variables = parts.components[unit].info->variables;
        for (std::uint32_t v = 0; v < variables.size(); ++v) {
            const std::string path = parts.plan.units[unit].name + "." + variables[v].name;
            if (path == wanted || (single && variables[v].name == wanted)) return Endpoint{unit, v, 0};
        }
    }
    return std::nullopt;
}

std::vector<Target> find_targets(const Parts& parts, const BuildOptions::Named& named, bool to_drive) {
    const std::string& wanted = named.name;
    std::vector<Target> found;
    std::vector<std::string> names;
    for (const BoundaryPort& port : parts.plan.boundary) {
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
        throw Error(
            "scenario", named.where,
            fmt::format("'{}' is no {} of the system{}", wanted,
                        to_drive ? "free input or tunable parameter" : "variable", did_you_mean(wanted, names)));
    }
    if (!to_drive) return found;
    for (const Target& target : found) {
        for (const PlannedWire& wire : parts.plan.wires) {
            if (wire.to.unit != target.end.unit || wire.to.variable != target.end.variable) continue;
            throw Error("scenario", named.where,
                        fmt::format("'{}' is driven by the connection {}", wanted, wire.label));
        }
    }
    return found;
}

Handle make_handle(System& system, const std::string& name, const Target& target) {
    const Node& node = system.nodes()[target.end.unit];
    const Layout::Slot* input = node.inputs.find(target.end.variable);
    const Layout::Slot* slot = input != nullptr ? input : node.outputs.find(target.end.variable);
    const auto& base = input != nullptr ? node.input_base : node.output_base;
    return {.name = name,
            .type = slot->type,
            .input = input != nullptr,
            .index = base[index_of(slot->type)] + slot->offset + target.end.element,
            .gain = target.gain,
            .offset = target.offset};
}

std::optional<Hold> parse_hold(const std::string& text) {
    static const std::map<std::string, Hold> known{{"auto", Hold::automatic},
                                                   {"constant", Hold::constant},
                                                   {"compensated", Hold::compensated},
                                                   {"linear", Hold::linear}};
    if (text.empty()) return std::nullopt;
    const auto found = known.find(text);
    if (found != known.end()) return found->second;
    throw Error("hold", "--hold", fmt::format("unknown hold '{}', known: auto, constant, compensated, linear", text));
}

}  // namespace

std::vector<const UnitInfo*> Parts::infos() const {
    std::vector<const UnitInfo*> result;
    for (const Component& component : components) result.push_back(component.info);
    return result;
}

Parts read_parts(const BuildOptions& options, Diagnostics& diagnostics, bool to_run) {
    Parts parts;
    if (!std::filesystem::exists(options.system)) {
        throw Error("missing", options.system.string(), "there is no such file or folder");
    }
    parts.description = is_fmu(options.system) ? ssp::describe_fmu(options.system, options.implementation)
                                               : ssp::read(options.system, {.variant = options.variant}, diagnostics);
    diagnostics.throw_if_errors();
    if (parts.description.components.empty()) {
        throw Error("empty", parts.description.file.string(), "the system has no components: there is nothing to run");
    }
    if (!options.input.empty()) add_input(parts.description, options.input);
    load(parts, options, diagnostics);
    diagnostics.throw_if_errors();
    if (!options.input.empty()) connect_input(parts, options.input);
    type_tables(parts);
    ResolveOptions resolve_options{.set = options.set, .to_run = to_run};
    if (is_fmu(options.system)) name_component(resolve_options.set, parts.description.components.front().name);
    resize(parts, resolve_options, diagnostics);
    parts.plan = resolve(parts.description, parts.infos(), resolve_options, diagnostics);
    diagnostics.throw_if_errors();
    return parts;
}

Simulation build(const BuildOptions& options, Diagnostics& diagnostics, Log& log) {
    Simulation simulation;
    simulation.parts = read_parts(options, diagnostics);
    Parts& parts = simulation.parts;
    const std::string algorithm = !options.algorithm.empty()      ? options.algorithm
                                  : !parts.plan.algorithm.empty() ? parts.plan.algorithm
                                                                  : "jacobi";
    simulation.method =
        &find_algorithm(algorithm, options.algorithm.empty() ? parts.description.algorithm_where : "--algorithm");
    simulation.timing = make_timing(parts, options, diagnostics);
    const Timing& timing = simulation.timing;
    const Recording recording(parts, options);

    SystemOptions system_options;
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
        const std::optional<Endpoint> end = find_variable(parts, name);
        observed.push_back(end ? std::optional(Target{*end}) : std::nullopt);
        if (end) system_options.recorded[end->unit].push_back(end->variable);
    }

    std::vector<std::unique_ptr<Unit>> units;
    for (std::size_t i = 0; i < parts.components.size(); ++i) {
        const Parts::Component& part = parts.components[i];
        const std::string& name = parts.plan.units[i].name;
        const ssp::Component& component = parts.description.components[i];
        if (part.fmu == nullptr) {
            const auto types = wanted_types(parts, static_cast<std::uint32_t>(i));
            units.push_back(std::make_unique<TableUnit>(name, read_table(component), timing.timebase, types));
            continue;
        }
        try {
            units.push_back(part.fmu->instantiate(name, part.interface, timing.timebase, log));
        } catch (const Error& error) {
            throw located(error, component);
        }
        if (!parts.plan.units[i].structural.empty()) units.back()->configure(parts.plan.units[i].structural);
    }
    simulation.system = std::make_unique<System>(parts.plan, std::move(units), std::move(system_options), diagnostics);
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
        Handle handle = make_handle(*simulation.system, options.observed[i], *observed[i]);
        const Endpoint& end = observed[i]->end;
        handle.dimensions = parts.components[end.unit].info->variables[end.variable].dimensions;
        simulation.observed.emplace_back(std::move(handle));
    }
    return simulation;
}

}  // namespace master
