#include "master/build/replace/replace.hpp"

#include "master/base/error.hpp"
#include "master/build/replace/flow.hpp"
#include "master/build/resolve/names.hpp"
#include "master/build/value_conversion.hpp"
#include "master/core/value_text.hpp"
#include "master/fmi/fmu.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace master::build {
namespace {

using Indices = std::vector<std::uint64_t>;

std::vector<std::string> component_names(const ssp::Description& description) {
    std::vector<std::string> names;
    names.reserve(description.components.size());
    for (const ssp::Component& component : description.components) names.push_back(component.name);
    return names;
}

bool begins_with(const Indices& all, const Indices& beginning) {
    return beginning.size() <= all.size() && std::equal(beginning.begin(), beginning.end(), all.begin());
}

Indices rest_of(const Indices& all, const Indices& beginning) {
    return {all.begin() + static_cast<std::ptrdiff_t>(beginning.size()), all.end()};
}

Indices joined(Indices first, const Indices& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

ssp::Transformation linear(double factor, double offset, const std::string& where) {
    if (factor == 1 && offset == 0) return {};
    return {.form = ssp::Transformation::Form::linear, .factor = factor, .offset = offset, .table = {}, .where = where};
}

/// From the new unit's output to the place of the old one's.
ssp::Hop hop_to_old(const Partner& partner) {
    return {.transformation = linear(partner.gain, partner.offset, partner.where),
            .unit = understood(partner.old_unit) ? std::optional(partner.old_unit) : std::nullopt,
            .suppress_unit_conversion = false,
            .where = partner.where};
}

ssp::Hop hop_to_new(const Partner& partner) {
    return {.transformation = linear(partner.transform_to_new.gain, partner.transform_to_new.offset, partner.where),
            .unit = {},
            .suppress_unit_conversion = false,
            .where = partner.where};
}

class Replacer {
public:
    Replacer(ssp::Description& description, std::uint32_t component, Replaced& replaced, base::Diagnostics& diagnostics)
        : description_(description),
          index_(component),
          replaced_(replaced),
          diagnostics_(diagnostics),
          old_names_(replaced.old_info),
          new_names_(replaced.new_info) {}

    void run(std::vector<std::string>& set) {
        if (replaced_.adapter.keeps_old_unit()) keep_old_unit();
        take_settings(set);
        parameters();
        settled_starts();
        connections();
        held_inputs();
        ssp::Component& component = description_.components[index_];
        component.connectors = {};
        for (const Partner& partner : replaced_.adapter.partners) {
            if (!partner.stated_unit) continue;
            ssp::Connector stated;
            stated.name = replaced_.new_info.variables[partner.after.variable].name;
            stated.unit = partner.stated_unit;
            stated.where = partner.where;
            component.connectors.add(std::move(stated));
        }
    }

private:
    [[nodiscard]] const core::Variable& old_variable(std::uint32_t index) const {
        return replaced_.old_info.variables[index];
    }

    [[nodiscard]] std::optional<VariablePart> find(const VariableNames& names, const std::string& name,
                                                   const Indices& indices) const {
        if (const auto variable = names.find(name)) return VariablePart{*variable, indices};
        const auto split = split_indices(name);
        if (!split) return std::nullopt;
        const auto variable = names.find(split->name);
        if (!variable) return std::nullopt;
        return VariablePart{*variable, joined(split->indices, indices)};
    }

    /// The old unit goes on beside the new one, with the same inputs; its outputs are taken only where the map says so.
    void keep_old_unit() {
        ssp::Component kept = description_.components[index_];
        kept.name += kept_suffix;
        kept_ = static_cast<std::uint32_t>(description_.components.size());
        const auto place = std::ranges::find(description_.order, description_.components[index_].name);
        if (place != description_.order.end()) description_.order.insert(place, kept.name);
        description_.components.push_back(std::move(kept));
    }

    /// `--set component.old=value` becomes a value of the highest precedence.
    void take_settings(std::vector<std::string>& set) {
        const std::string prefix = description_.components[index_].name + ".";
        std::vector<std::string> others;
        for (const std::string& text : set) {
            const auto equals = text.find('=');
            const std::string name = text.substr(0, equals);
            const std::string variable = name.starts_with(prefix) ? name.substr(prefix.size()) : std::string{};
            const auto part = find(old_names_, variable, {});
            if (!name.starts_with(prefix) || equals == std::string::npos || !part) {
                others.push_back(text);
                continue;
            }
            if (kept_)
                others.push_back(prefix.substr(0, prefix.size() - 1) + kept_suffix + "." + text.substr(prefix.size()));
            ssp::Parameter parameter;
            parameter.name = variable;
            parameter.type = old_variable(part->variable).declared_type;
            parameter.where = "--set " + text;
            parameter.hops.push_back({.transformation = {}, .unit = {}, .where = parameter.where});
            if (parameter.type == "Enumeration" &&
                std::holds_alternative<core::Value>(parse_value(text.substr(equals + 1), "Int64")))
                parameter.type = "Int64";
            Converted parsed = parse_value(text.substr(equals + 1), parameter.type);
            if (const auto* problem = std::get_if<std::string>(&parsed)) {
                diagnostics_.error("bad-value", parameter.where, *problem);
                continue;
            }
            parameter.value = std::move(std::get<core::Value>(parsed));
            description_.components[index_].parameters.push_back(std::move(parameter));
        }
        set = std::move(others);
    }

    void parameters() {
        std::vector<ssp::Parameter> carried;
        for (ssp::Parameter& parameter : description_.components[index_].parameters) {
            const auto part = find(old_names_, parameter.name, parameter.indices);
            if (!part) continue;  // it was ignored before, too
            bool found = false;
            for (const Partner& partner : replaced_.adapter.partners) {
                if (partner.before.variable != part->variable) continue;
                if (!begins_with(part->indices, partner.before.indices)) continue;
                found = true;
                carried.push_back(over(parameter, partner, *part));
            }
            if (!found) lose(parameter, part->variable);
        }
        description_.components[index_].parameters = std::move(carried);
    }

    [[nodiscard]] ssp::Parameter over(const ssp::Parameter& parameter, const Partner& partner,
                                      const VariablePart& part) const {
        ssp::Parameter result = parameter;
        result.name = replaced_.new_info.variables[partner.after.variable].name;
        result.indices = joined(partner.after.indices, rest_of(part.indices, partner.before.indices));
        if (!result.hops.empty() && understood(partner.old_unit) && real(partner))
            result.hops.back().unit = partner.old_unit;
        result.hops.push_back(hop_to_new(partner));
        return result;
    }

    [[nodiscard]] bool real(const Partner& partner) const {
        return old_variable(partner.before.variable).type == core::Type::real;
    }

    void lose(const ssp::Parameter& parameter, std::uint32_t variable) {
        if (replaced_.adapter.said_of_old(variable) != nullptr && kept_) return;
        replaced_.lost.push_back(
            fmt::format("{} = {}", old_variable(variable).name, core::value_text(parameter.value)));
        const std::string text = fmt::format("the value {} of '{}.{}' is lost: the new unit has no partner for it{}",
                                             core::value_text(parameter.value), replaced_.component, parameter.name,
                                             new_names_.hint(parameter.name));
        if (replaced_.adapter.said_of_old(variable) != nullptr)
            diagnostics_.note("lost-parameter", parameter.where, text);
        else
            diagnostics_.warn("lost-parameter", parameter.where, text);
    }

    /// Where the output starts that a parameter sets: both have to go over by the same scale.
    void settled_starts() {
        std::vector<ssp::SettledStart> carried;
        for (const ssp::SettledStart& start : description_.components[index_].settles) {
            const Partner* output = partner_of(start.output);
            const Partner* parameter = partner_of(start.parameter);
            const bool same = output != nullptr && parameter != nullptr &&
                              output->to_old.gain == parameter->to_old.gain &&
                              output->to_old.offset == parameter->to_old.offset;
            if (!same) {
                diagnostics_.warn("lost-parameter", start.where,
                                  fmt::format("the new unit of '{}' is not settled by '{}': {}", replaced_.component,
                                              start.parameter, "it has no such pair of output and parameter"));
                continue;
            }
            ssp::SettledStart over = start;
            over.output = name_of(replaced_.new_info, output->after);
            over.parameter = name_of(replaced_.new_info, parameter->after);
            carried.push_back(std::move(over));
        }
        description_.components[index_].settles = std::move(carried);
    }

    [[nodiscard]] const Partner* partner_of(const std::string& name) const {
        const auto part = find(old_names_, name, {});
        const auto found = std::ranges::find_if(
            replaced_.adapter.partners, [&](const Partner& partner) { return part && partner.before == *part; });
        return found == replaced_.adapter.partners.end() ? nullptr : &*found;
    }

    void connections() {
        std::vector<ssp::Connection> all;
        for (const ssp::Connection& connection : description_.connections) {
            std::vector<ssp::Connection> ends{connection};
            if (!connection.oriented) orient(ends.front());
            ends = moved(std::move(ends), &ssp::Connection::to);
            ends = moved(std::move(ends), &ssp::Connection::from);
            std::ranges::move(ends, std::back_inserter(all));
        }
        description_.connections = std::move(all);
    }

    /// The causality of the old variable tells where no connector is declared.
    void orient(ssp::Connection& connection) const {
        for (const auto& [end, other] :
             {std::pair(&connection.from, &connection.to), std::pair(&connection.to, &connection.from)}) {
            if (end->component != index_) continue;
            const auto part = find(old_names_, end->connector, end->indices);
            if (!part) continue;
            const bool in = flows_in(old_variable(part->variable));
            if (in == (end == &connection.from)) std::swap(*end, *other);
            connection.oriented = true;
            return;
        }
    }

    /// Each connection with that end at the new unit, or without it where the map says so.
    std::vector<ssp::Connection> moved(std::vector<ssp::Connection> connections, ssp::Terminal ssp::Connection::*end) {
        std::vector<ssp::Connection> result;
        for (ssp::Connection& connection : connections) {
            const ssp::Terminal& terminal = connection.*end;
            if (terminal.component != index_) {
                result.push_back(std::move(connection));
                continue;
            }
            const auto part = find(old_names_, terminal.connector, terminal.indices);
            if (!part) {  // wrong before, too: the resolver says so
                result.push_back(std::move(connection));
                continue;
            }
            const bool input = end == &ssp::Connection::to;
            if (input) {
                wired_.insert(part->variable);
                if (kept_) {
                    result.push_back(connection);
                    result.back().to.component = *kept_;
                }
            }
            if (!move_to_partners(connection, end, *part, result)) without_partner(connection, input, *part, result);
        }
        return result;
    }

    bool move_to_partners(const ssp::Connection& connection, ssp::Terminal ssp::Connection::*end,
                          const VariablePart& part, std::vector<ssp::Connection>& result) {
        const bool input = end == &ssp::Connection::to;
        bool found = false;
        for (const Partner& partner : replaced_.adapter.partners) {
            if (partner.before.variable != part.variable) continue;
            ssp::Connection over = connection;
            ssp::Terminal& here = over.*end;
            ssp::Terminal& there = input ? over.from : over.to;
            here.connector = replaced_.new_info.variables[partner.after.variable].name;
            if (begins_with(part.indices, partner.before.indices)) {
                here.indices = joined(partner.after.indices, rest_of(part.indices, partner.before.indices));
            } else if (begins_with(partner.before.indices, part.indices)) {
                // One connection of a whole array, and its elements go to different places.
                here.indices = partner.after.indices;
                there.indices = joined(there.indices, rest_of(partner.before.indices, part.indices));
            } else {
                continue;
            }
            found = true;
            if (input) {
                if (real(partner) && understood(partner.old_unit)) over.hops.back().unit = partner.old_unit;
                over.hops.push_back(hop_to_new(partner));
                driven_.insert(partner.after.variable);
            } else {
                over.hops.insert(over.hops.begin(), hop_to_old(partner));
                if (!real(partner)) over.hops.front().unit.reset();
            }
            result.push_back(std::move(over));
        }
        return found;
    }

    void without_partner(const ssp::Connection& connection, bool input, const VariablePart& part,
                         std::vector<ssp::Connection>& result) {
        const core::Variable& variable = old_variable(part.variable);
        const std::string name = replaced_.component + "." + variable.name;
        const Lonely* said = replaced_.adapter.said_of_old(part.variable);
        if (said == nullptr) {
            diagnostics_.error(
                "no-partner", connection.where,
                fmt::format(
                    "{} '{}' is connected, and the new unit {} has no partner for it{}; a map says which one it "
                    "is, or '{},{}'",
                    input ? "input" : "output", name, replaced_.after->file().string(), new_names_.hint(variable.name),
                    variable.name, input ? "none" : "=VALUE' or '" + variable.name + ",from the old unit"));
            return;
        }
        if (input || said->row.form == MapRow::Form::none) {
            replaced_.held.push_back(fmt::format("{} '{}' leads nowhere", input ? "input" : "output", name));
            return;
        }
        if (said->row.form == MapRow::Form::of_old_unit) {
            result.push_back(connection);
            result.back().from.component = *kept_;
            return;
        }
        hold_receiver(connection, variable, *said);
    }

    /// A constant in place of an output is the value that its receivers start with and keep.
    void hold_receiver(const ssp::Connection& connection, const core::Variable& variable, const Lonely& said) {
        replaced_.held.push_back(fmt::format("output '{}.{}' holds {}", replaced_.component, variable.name,
                                             core::number_text(said.row.constant)));
        if (connection.to.component == ssp::Terminal::boundary) return;
        ssp::Parameter parameter;
        parameter.name = connection.to.connector;
        parameter.indices = connection.to.indices;
        parameter.type = "Real";
        parameter.value = std::vector<double>(std::max<std::size_t>(variable.size, 1), said.row.constant);
        parameter.unit = constant_unit(said.row, unit_of_measure(replaced_.old_info, variable));
        parameter.hops = connection.hops;
        parameter.where = said.row.where;
        description_.components[connection.to.component].parameters.push_back(std::move(parameter));
    }

    [[nodiscard]] std::optional<core::PhysicalUnit> constant_unit(const MapRow& row,
                                                                  const core::PhysicalUnit& own) const {
        if (row.unit.empty()) return own.name.empty() ? std::nullopt : std::optional(own);
        for (const core::UnitInfo* info : {&replaced_.new_info, &replaced_.old_info}) {
            const auto found = std::ranges::find(info->units, row.unit, &core::PhysicalUnit::name);
            if (found != info->units.end()) return *found;
        }
        return core::PhysicalUnit{.name = row.unit, .exponents = {}};
    }

    /// Inputs of the new unit that nothing drives.
    void held_inputs() {
        ssp::Component& component = description_.components[index_];
        for (const Lonely& said : replaced_.adapter.new_without) {
            if (said.row.form != MapRow::Form::constant) continue;
            const core::Variable& variable = replaced_.new_info.variables[said.part.variable];
            ssp::Parameter parameter;
            parameter.name = variable.name;
            parameter.indices = said.part.indices;
            parameter.type = "Real";
            parameter.value = std::vector<double>(said.part.indices.empty() ? variable.size : 1, said.row.constant);
            parameter.unit = constant_unit(said.row, unit_of_measure(replaced_.new_info, variable));
            parameter.hops.push_back({.transformation = {}, .unit = {}, .where = said.row.where});
            parameter.where = said.row.where;
            component.parameters.push_back(std::move(parameter));
            replaced_.held.push_back(fmt::format("'{}' of the new unit holds {}{}", variable.name,
                                                 core::number_text(said.row.constant),
                                                 said.row.unit.empty() ? "" : " " + said.row.unit));
        }
        for (std::uint32_t i = 0; i < replaced_.new_info.variables.size(); ++i) {
            const core::Variable& variable = replaced_.new_info.variables[i];
            if (core::is_parameter(variable) || !flows_in(variable) || driven_.contains(i)) continue;
            const Lonely* said = replaced_.adapter.said_of_new(i);
            if (said != nullptr && said->row.form == MapRow::Form::constant) continue;
            const bool partner = std::ranges::any_of(replaced_.adapter.partners,
                                                     [&](const Partner& one) { return one.after.variable == i; });
            if (partner) continue;  // as free as the old one was
            const std::string text = fmt::format("input '{}' of the new unit {} has no partner and would hold {}",
                                                 variable.name, replaced_.after->file().string(), start_text(variable));
            if (said != nullptr) {
                replaced_.held.push_back(
                    fmt::format("input '{}' of the new unit holds {}", variable.name, start_text(variable)));
                continue;
            }
            diagnostics_.error("no-partner", component.where,
                               fmt::format("{}; a map says 'OLD,{}', '=VALUE,{}' or 'none,{}'{}", text, variable.name,
                                           variable.name, variable.name, old_names_.hint(variable.name)));
        }
    }

    ssp::Description& description_;
    std::uint32_t index_;
    Replaced& replaced_;
    base::Diagnostics& diagnostics_;
    VariableNames old_names_, new_names_;
    std::optional<std::uint32_t> kept_;
    std::set<std::uint32_t> wired_;   // old inputs with a connection
    std::set<std::uint32_t> driven_;  // new inputs with one
};

}  // namespace

Replaced replace(ssp::Description& description, const Replacement& replacement, std::vector<std::string>& set,
                 base::ArchiveCache& archives, base::Diagnostics& diagnostics) {
    const auto found = std::ranges::find(description.components, replacement.component, &ssp::Component::name);
    if (found == description.components.end())
        throw base::Error("unknown-name", "--replace " + replacement.component,
                          fmt::format("no component '{}' in {}{}", replacement.component, description.file.string(),
                                      base::did_you_mean(replacement.component, component_names(description))));
    if (found->kind != ssp::ComponentKind::fmu)
        throw base::Error("bad-map", found->where,
                          fmt::format("component '{}' is no FMU and cannot be replaced", found->name));
    if (!std::filesystem::exists(replacement.fmu))
        throw base::Error("missing-file", replacement.fmu.string(), "there is no such file");
    Replaced replaced;
    replaced.component = found->name;
    base::Diagnostics unsaid;  // remarks are made when the units are loaded
    replaced.before = std::make_unique<fmi::Fmu>(found->shown, archives.get(found->source), unsaid);
    replaced.after = std::make_unique<fmi::Fmu>(replacement.fmu, archives.get(replacement.fmu), diagnostics);
    replaced.old_info = replaced.before->chosen(replaced.before->interface(found->implementation)).info;
    replaced.new_info = replaced.after->chosen(replaced.after->interface("any")).info;
    const std::vector<MapRow> rows =
        replacement.map.empty() ? std::vector<MapRow>{} : read_adapter_map(replacement.map);
    const AdaptedUnit before{.info = replaced.old_info,
                             .file = replaced.before->file().string(),
                             .stated = [&](const std::string& variable) -> std::optional<core::PhysicalUnit> {
                                 const ssp::Connector* connector = found->connectors.find(variable);
                                 return connector == nullptr ? std::nullopt : connector->unit;
                             }};
    const AdaptedUnit after{.info = replaced.new_info, .file = replacement.fmu.string()};
    replaced.adapter = make_adapter(rows, before, after, diagnostics);
    diagnostics.throw_if_errors();
    const auto index = static_cast<std::uint32_t>(found - description.components.begin());
    Replacer(description, index, replaced, diagnostics).run(set);
    ssp::Component& component = description.components[index];
    component.source = replacement.fmu;
    component.shown = replacement.fmu.string();
    component.implementation = "any";
    if (!replacement.map.empty()) description.parameter_files.emplace_back(replacement.map, replacement.map.string());
    diagnostics.throw_if_errors();
    return replaced;
}

}  // namespace master::build
