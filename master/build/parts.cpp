#include "master/build/parts.hpp"

#include "master/base/error.hpp"
#include "master/build/resolve/names.hpp"
#include "master/build/resolve/resolve.hpp"
#include "master/build/table_unit.hpp"
#include "master/fmi/description/array_sizes.hpp"
#include "master/ssp/read.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <set>

namespace master::build {
namespace {

constexpr const char* input_table = "input";

/// What went wrong with a component's file, in the words of the system that names it.
base::Error located(const base::Error& error, const ssp::Component& component) {
    const std::string file = component.source.string();
    const auto said = [&](std::string text) {
        if (file != component.shown)
            for (std::size_t at = text.find(file); at != std::string::npos;
                 at = text.find(file, at + component.shown.size()))
                text.replace(at, file.size(), component.shown);
        return text;
    };
    std::string text = said(error.what());
    if (component.where != component.shown)
        text += fmt::format("; component '{}' at {}", component.name, component.where);
    return {error.code(), said(error.where()), text, error.exit()};
}

results::Table read_table(const ssp::Component& component) {
    results::Table table = results::read_csv(component.source);
    for (const results::TableColumn& column : table.columns) {
        const auto* numbers = std::get_if<std::vector<double>>(&column.values);
        if (numbers == nullptr) continue;
        const auto wrong = std::ranges::find_if(*numbers, [](double value) { return !std::isfinite(value); });
        if (wrong == numbers->end()) continue;
        throw base::Error(std::isnan(*wrong) ? "nan" : "infinite",
                          table.where(static_cast<std::size_t>(wrong - numbers->begin())),
                          fmt::format("column '{}' is {} here", column.name,
                                      std::isnan(*wrong) ? "not a number" : "infinite or too large"));
    }
    return table;
}

/// Kinds of connectors from the units' own descriptions, for files that do not declare them.
class KindsOfVariables {
public:
    explicit KindsOfVariables(base::ArchiveCache& archives) : archives_(archives) {}

    ssp::Kind operator()(const ssp::Component& component, const std::string& name) {
        if (component.kind == ssp::ComponentKind::table) return ssp::Kind::output;
        if (component.kind == ssp::ComponentKind::interface_only) return ssp::Kind::unspecified;
        const core::UnitInfo& info = unit(component).description().info;
        const VariableNames names(info);
        const std::optional<Indexed> split = split_indices(name);
        std::optional<std::uint32_t> variable = names.find(name);
        if (!variable && split) variable = names.find(split->name);
        return variable ? ssp::kind_of(info.variables[*variable].causality) : ssp::Kind::unspecified;
    }

private:
    const fmi::Fmu& unit(const ssp::Component& component) {
        std::unique_ptr<fmi::Fmu>& fmu = units_[component.source];
        base::Diagnostics unused;  // remarks are made when the unit is loaded
        try {
            if (fmu == nullptr)
                fmu = std::make_unique<fmi::Fmu>(component.shown, archives_.get(component.source), unused);
        } catch (const base::Error& error) {
            throw located(error, component);
        }
        return *fmu;
    }

    base::ArchiveCache& archives_;
    std::map<std::filesystem::path, std::unique_ptr<fmi::Fmu>> units_;
};

/// Each FMU file is unpacked and read once, however many components use it.
void load(Parts& parts, const BuildOptions& options, base::ArchiveCache& archives, base::Diagnostics& diagnostics) {
    std::map<std::filesystem::path, fmi::Fmu*> by_path;
    std::map<std::string, fmi::Fmu*> by_content;
    const auto load_one = [&](const ssp::Component& component, Parts::Component& part) {
        if (component.kind == ssp::ComponentKind::table) {
            part.table = std::make_unique<TableUnit>(component.name, read_table(component), base::Timebase{});
            part.info = &part.table->info();
            return;
        }
        fmi::Fmu*& by_file = by_path[component.source];
        if (by_file == nullptr) {
            const base::Archive& archive = archives.get(component.source);
            if (options.accepted_units && !options.accepted_units->contains(archive.sha256()))
                throw base::Error("bad-record", component.shown,
                                  "the FMU is not one that the recorded run used: its SHA-256 is " + archive.sha256());
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
        if (component.kind == ssp::ComponentKind::interface_only) continue;
        try {
            load_one(component, part);
        } catch (const base::Error& error) {
            throw located(error, component);
        }
    }
}

/// Structural parameters change array sizes, and connections are checked against those.
void resize(Parts& parts, const ResolveOptions& options, base::Diagnostics& diagnostics) {
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
    table.kind = ssp::ComponentKind::table;
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
        for (const core::Variable& variable : parts.components[c].info->variables) {
            if (!variable.can_set_during_run) continue;
            const std::string full = parts.description.components[c].name + "." + variable.name;
            targets[full] = {.component = c, .connector = variable.name};
            if (single) targets[variable.name] = targets[full];
            names.push_back(single ? variable.name : full);
        }
    }
    for (const core::Variable& column : parts.components[table].info->variables) {
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
            throw base::Error("input", where,
                              fmt::format("column '{}' is no input of the system{}", column.name,
                                          base::did_you_mean(column.name, names)));
        }
        if (found) {
            // A column without a unit of its own is in that of the connector that it stands for.
            auto& boundary = parts.description.boundary;
            const auto port = std::ranges::find(boundary, column.name, &ssp::Connector::name);
            ssp::Connector stated;
            stated.name = column.name;
            if (column.unit.empty()) stated.unit = port->unit;
            stated.where = where;
            parts.description.components[table].connectors.add(std::move(stated));
            boundary.erase(port);
            continue;
        }
        ssp::Connection connection;
        connection.from = from;
        connection.to = target->second;
        connection.where = where;
        // A column without a unit is in that of the variable; one with a unit is converted on its way.
        if (!column.unit.empty()) connection.hops.emplace_back().where = where;
        connections.push_back(std::move(connection));
    }
}

bool is_plain(const ssp::Connection& connection) {
    return std::ranges::all_of(connection.hops, [](const ssp::Hop& hop) {
        return hop.transformation.form == ssp::Transformation::Form::none;
    });
}

/// The variables that each column of a table drives.
struct Receiver {
    const core::Variable* variable;
    bool plain;  // without a transformation on the way
};
std::map<std::string, std::vector<Receiver>> receivers(const Parts& parts, std::uint32_t table) {
    std::map<std::string, std::vector<Receiver>> found;
    for (const ssp::Connection& connection : parts.description.connections) {
        const bool from_table = connection.from.component == table && connection.to.component < parts.components.size();
        if (!from_table) continue;
        const core::UnitInfo* receiver = parts.components[connection.to.component].info;
        if (receiver == nullptr || parts.components[table].info == nullptr) continue;
        const auto has_name = [](const std::string& name) {
            return [name](const core::Variable& v) { return v.name == name; };
        };
        const auto& columns = parts.components[table].info->variables;
        const auto variable = std::ranges::find_if(receiver->variables, has_name(connection.to.connector));
        if (variable == receiver->variables.end() || std::ranges::none_of(columns, has_name(connection.from.connector)))
            continue;
        found[connection.from.connector].push_back({&*variable, is_plain(connection)});
    }
    return found;
}

/// What the receivers of one table's columns want; a column whose receivers disagree keeps the type of its text.
WantedTypes wanted_types(const Parts& parts, std::uint32_t table) {
    WantedTypes wanted;
    for (const auto& [column, driven] : receivers(parts, table)) {
        std::set<core::Type> all;
        for (const Receiver& receiver : driven) {
            if (!receiver.plain) continue;
            all.insert(receiver.variable->type);
            if (receiver.variable->declared_type == "Float32") wanted.singles.insert(column);
        }
        const bool number =
            all.contains(core::Type::integer) || all.contains(core::Type::natural) || all.contains(core::Type::boolean);
        if (all.size() == 1 && number) wanted.types[column] = *all.begin();
    }
    return wanted;
}

/// A discrete input and a tunable parameter have no values in between two rows: columns for them alone are held.
results::Table table_of(const Parts& parts, std::uint32_t table) {
    std::set<std::string> held;
    for (const auto& [column, driven] : receivers(parts, table)) {
        const bool all = std::ranges::none_of(driven, [](const Receiver& receiver) {
            return receiver.variable->variability == core::Variability::continuous;
        });
        if (all) held.insert(column);
    }
    return results::held_between_rows(read_table(parts.description.components[table]), held);
}

/// Tools write whole numbers and booleans as 1.0: what a column is, its receivers know.
void type_tables(Parts& parts) {
    for (std::uint32_t i = 0; i < parts.components.size(); ++i) {
        Parts::Component& part = parts.components[i];
        if (!part.table) continue;
        const WantedTypes wanted = wanted_types(parts, i);
        if (wanted.types.empty() && wanted.singles.empty()) continue;
        const ssp::Component& component = parts.description.components[i];
        part.table = std::make_unique<TableUnit>(component.name, read_table(component), base::Timebase{}, wanted);
        part.info = &part.table->info();
    }
}

}  // namespace

std::vector<const core::UnitInfo*> Parts::infos() const {
    std::vector<const core::UnitInfo*> result;
    result.reserve(components.size());
    for (const Component& component : components) result.push_back(component.info);
    return result;
}

Parts read_parts(const BuildOptions& options, base::Diagnostics& diagnostics, bool to_run, SignalRequests requests) {
    Parts parts;
    if (!std::filesystem::exists(options.system)) {
        throw base::Error("missing-file", options.system.string(), "there is no such file or folder");
    }
    if (options.archives == nullptr) parts.archives = std::make_unique<base::ArchiveCache>();
    base::ArchiveCache& archives = options.archives != nullptr ? *options.archives : *parts.archives;
    KindsOfVariables kinds(archives);
    const ssp::ReadOptions read_options{.variant = options.variant, .kind_of = std::ref(kinds)};
    parts.description = options.single_fmu() ? ssp::describe_fmu(options.system, options.implementation)
                                             : ssp::read(options.system, read_options, diagnostics);
    diagnostics.throw_if_errors();
    if (to_run && parts.description.components.empty()) {
        throw base::Error("bad-system", parts.description.file.string(),
                          "the system has no components: there is nothing to run");
    }
    std::vector<std::string> set = options.set;
    for (const Replacement& replacement : options.replace)
        parts.replaced.push_back(replace(parts.description, replacement, set, archives, diagnostics));
    if (!options.input.empty()) add_input(parts.description, options.input);
    load(parts, options, archives, diagnostics);
    diagnostics.throw_if_errors();
    if (!options.input.empty()) connect_input(parts, options.input);
    type_tables(parts);
    ResolveOptions resolve_options{.set = std::move(set), .driven = {}, .to_run = to_run};
    for (const SignalRequest* request : requests)
        if (request->use == SignalRequest::Use::drive) resolve_options.driven.insert(request->name);
    if (options.single_fmu()) name_component(resolve_options.set, parts.description.components.front().name);
    resize(parts, resolve_options, diagnostics);
    parts.plan = resolve(parts.description, parts.infos(), resolve_options, diagnostics);
    diagnostics.throw_if_errors();
    return parts;
}

std::vector<std::unique_ptr<core::Unit>> make_units(const Parts& parts, base::Timebase timebase, base::Log& log) {
    std::vector<std::unique_ptr<core::Unit>> units;
    for (std::size_t i = 0; i < parts.components.size(); ++i) {
        const Parts::Component& part = parts.components[i];
        const std::string& name = parts.plan.units[i].name;
        const ssp::Component& component = parts.description.components[i];
        if (part.fmu == nullptr) {
            const WantedTypes wanted = wanted_types(parts, static_cast<std::uint32_t>(i));
            auto table = table_of(parts, static_cast<std::uint32_t>(i));
            units.push_back(std::make_unique<TableUnit>(name, std::move(table), timebase, wanted));
            continue;
        }
        try {
            units.push_back(part.fmu->instantiate(name, part.interface, timebase, log));
        } catch (const base::Error& error) {
            throw located(error, component);
        }
        if (!parts.plan.units[i].structural.empty()) units.back()->configure(parts.plan.units[i].structural);
    }
    return units;
}

}  // namespace master::build
