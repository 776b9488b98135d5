#include "master/build/inspect.hpp"

#include "master/base/json.hpp"
#include "master/core/value_text.hpp"
#include "master/fmi/library/refusals.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

namespace master::build {
namespace {

using fmi::InterfaceDescription;
using fmi::ModelDescription;

constexpr std::size_t longest_start = 24;  // characters of a start value in the table

/// The capabilities of an interface by the names that the table and the JSON document show.
std::vector<std::pair<std::string, bool>> capabilities(const InterfaceDescription& interface) {
    return {{"variable step", interface.can.variable_step},
            {"event mode", interface.has_event_mode},
            {"early return", interface.may_return_early},
            {"intermediate update", interface.provides_intermediate_update},
            {"input derivatives", interface.can.interpolates_inputs},
            {"output derivatives", interface.can.output_derivatives},
            {"directional derivatives", interface.can.directional_derivatives},
            {"save state", interface.can.save_state},
            {"serialize state", interface.can.serialize_state},
            {"once per process", interface.can.once_per_process},
            {"needs execution tool", interface.can.needs_execution_tool}};
}

std::vector<std::pair<std::string, const InterfaceDescription*>> interfaces(const ModelDescription& description) {
    std::vector<std::pair<std::string, const InterfaceDescription*>> found;
    if (description.co_simulation) found.emplace_back("co-simulation", &*description.co_simulation);
    if (description.model_exchange) found.emplace_back("model exchange", &*description.model_exchange);
    return found;
}

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
    std::string text;
    for (const std::string& word : words) {
        if (!text.empty()) text += separator;
        text += word;
    }
    return text;
}

std::string dimensions_text(const ModelDescription& description, std::size_t index) {
    const core::Variable& variable = description.info.variables[index];
    std::vector<std::string> extents;
    for (std::size_t i = 0; i < variable.dimensions.size(); ++i) {
        const auto& parameter = description.dimensions[index][i].parameter;
        const std::string size = std::to_string(variable.dimensions[i]);
        extents.push_back(parameter ? description.info.variables[*parameter].name + "=" + size : size);
    }
    return joined(extents, " x ");
}

std::string start_text(const core::Variable& variable) {
    if (!variable.start) return {};
    std::string text = core::value_text(*variable.start);
    if (text.size() <= longest_start) return text;
    std::size_t end = longest_start - 3;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80) --end;  // no half characters
    return text.substr(0, end) + "...";
}

/// Characters, not bytes, so that columns with umlauts line up.
std::size_t width(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; }));
}

std::string variables_table(const ModelDescription& description) {
    std::vector<std::vector<std::string>> rows{
        {"name", "type", "causality", "variability", "unit", "start", "dimensions", "description"}};
    for (std::size_t i = 0; i < description.info.variables.size(); ++i) {
        const core::Variable& variable = description.info.variables[i];
        rows.push_back({variable.name, variable.declared_type, core::name_of(variable.causality),
                        core::name_of(variable.variability), variable.unit, start_text(variable),
                        dimensions_text(description, i), variable.description});
    }
    return aligned(rows, 2);
}

std::string structure_lines(const ModelDescription& description, const std::vector<core::Unknown>& unknowns) {
    std::string text;
    for (const core::Unknown& unknown : unknowns) {
        std::vector<std::string> names;
        for (const std::uint32_t i : unknown.dependencies.value_or(std::vector<std::uint32_t>{})) {
            names.push_back(description.info.variables[i].name);
        }
        std::string on = names.empty() ? "nothing" : joined(names, ", ");
        if (!unknown.dependencies) on = "everything";
        text += "    " + description.info.variables[unknown.variable].name + " <- " + on + "\n";
    }
    return text;
}

std::string experiment_line(const core::Experiment& experiment) {
    std::vector<std::string> parts;
    if (experiment.start) parts.push_back("start " + core::number_text(*experiment.start));
    if (experiment.stop) parts.push_back("stop " + core::number_text(*experiment.stop));
    if (!experiment.step.empty()) parts.push_back("step " + experiment.step);
    if (experiment.tolerance) parts.push_back("tolerance " + core::number_text(*experiment.tolerance));
    return parts.empty() ? "none" : joined(parts, ", ");
}

std::string platforms_line(const ModelDescription& description, const std::vector<PlatformBinaries>& platforms) {
    std::vector<std::string> names;
    names.reserve(platforms.size());
    for (const PlatformBinaries& platform : platforms) {
        names.push_back(platform.platform + " (" + joined(platform.libraries, ", ") + ")");
    }
    const bool here = std::ranges::any_of(platforms, &PlatformBinaries::here);
    const std::string own(fmi::platform_folder(description.version));
    return (names.empty() ? "none" : joined(names, ", ")) +
           (here ? "; runs on this one, " : "; nothing for this one, ") + own;
}

base::Json experiment_json(const core::Experiment& experiment) {
    base::Json json = base::Json::object();
    if (experiment.start) json["start"] = *experiment.start;
    if (experiment.stop) json["stop"] = *experiment.stop;
    if (experiment.tolerance) json["tolerance"] = *experiment.tolerance;
    if (!experiment.step.empty()) json["step"] = experiment.step;
    return json;
}

base::Json element_json(std::uint8_t value) { return value != 0; }
base::Json element_json(const core::ByteString& value) {
    return core::element_texts(core::Value(std::vector<core::ByteString>{value})).front();
}
template <typename Element>
base::Json element_json(const Element& value) {
    return value;
}

base::Json start_json(const core::Variable& variable) {
    base::Json elements = base::Json::array();
    std::visit(
        [&](const auto& all) {
            for (const auto& one : all) elements.push_back(element_json(one));
        },
        *variable.start);
    if (variable.dimensions.empty() && elements.size() == 1) return elements.front();
    return elements;
}

base::Json variable_json(const ModelDescription& description, std::size_t index) {
    const core::Variable& variable = description.info.variables[index];
    base::Json json;
    const auto text = [&](const char* name, const std::string& value) {
        if (!value.empty()) json[name] = value;
    };
    json["name"] = variable.name;
    json["reference"] = description.references[index];
    text("type", variable.declared_type);
    text("causality", core::name_of(variable.causality));
    text("variability", core::name_of(variable.variability));
    if (variable.initial != core::Initial::none) text("initial", core::name_of(variable.initial));
    text("unit", variable.unit);
    text("enumeration", variable.enumeration);
    text("description", variable.description);
    for (const std::uint64_t extent : variable.dimensions) json["dimensions"].push_back(extent);
    if (variable.start) json["start"] = start_json(variable);
    return json;
}

base::Json unknowns_json(const ModelDescription& description, const std::vector<core::Unknown>& unknowns) {
    base::Json all = base::Json::array();
    for (const core::Unknown& unknown : unknowns) {
        base::Json json;
        json["name"] = description.info.variables[unknown.variable].name;
        json["dependencies"] = nullptr;  // on everything
        if (unknown.dependencies) {
            base::Json names = base::Json::array();
            for (const std::uint32_t i : *unknown.dependencies) names.push_back(description.info.variables[i].name);
            json["dependencies"] = std::move(names);
        }
        all.push_back(std::move(json));
    }
    return all;
}

base::Json interfaces_json(const ModelDescription& description) {
    base::Json all = base::Json::array();
    for (const auto& [name, interface] : interfaces(description)) {
        base::Json json;
        json["name"] = name;
        json["modelIdentifier"] = interface->model_identifier;
        for (const auto& [capability, offered] : capabilities(*interface)) json["capabilities"][capability] = offered;
        all.push_back(std::move(json));
    }
    return all;
}

base::Json platforms_json(const std::vector<PlatformBinaries>& platforms) {
    base::Json all = base::Json::array();
    for (const PlatformBinaries& platform : platforms) {
        base::Json json;
        json["name"] = platform.platform;
        json["here"] = platform.here;
        json["libraries"] = platform.libraries;
        all.push_back(std::move(json));
    }
    return all;
}

/// Null where only a trial would tell.
base::Json answer_of(fmi::Trial::Runs runs) {
    return runs == fmi::Trial::Runs::unknown ? base::Json() : base::Json(runs == fmi::Trial::Runs::yes);
}

void add_diagnosis(const fmi::Diagnosis& diagnosis, base::Json& json) {
    using Runs = fmi::Trial::Runs;
    Runs runs = Runs::no;
    base::Json trials = base::Json::array();
    for (const fmi::Trial& trial : diagnosis.trials) {
        if (runs != Runs::yes && trial.runs != Runs::no) runs = trial.runs;
        base::Json one;
        one["interface"] = trial.interface;
        one["runs"] = answer_of(trial.runs);
        if (trial.runs != Runs::yes && !trial.why_not.empty()) one["why"] = trial.why_not;
        one["missingLibraries"] = trial.missing_libraries;
        one["step"] = trial.step_rule;
        for (const auto& [ability, result] : trial.abilities) one["abilities"][ability] = result;
        if (!trial.not_withheld.empty()) one["notWithheld"] = trial.not_withheld;
        trials.push_back(std::move(one));
    }
    json["runs"] = answer_of(runs);
    json["tried"] = diagnosis.tried;
    json["trials"] = std::move(trials);
    json["aliases"] = diagnosis.aliases;
    json["quirks"] = diagnosis.quirks;
}

}  // namespace

std::string aligned(const std::vector<std::vector<std::string>>& rows, std::size_t indent) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
    }
    std::string table;
    for (const auto& row : rows) {
        std::string line(indent, ' ');
        for (std::size_t i = 0; i < row.size(); ++i) line += row[i] + std::string(widths[i] - width(row[i]) + 2, ' ');
        table += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return table;
}

std::vector<PlatformBinaries> platforms_in(const std::filesystem::path& folder, fmi::Version version) {
    std::vector<PlatformBinaries> platforms;
    std::error_code failure;
    for (const auto& item : std::filesystem::directory_iterator(folder / "binaries", failure)) {
        if (!item.is_directory()) continue;
        PlatformBinaries platform{.platform = item.path().filename().string(), .libraries = {}};
        for (const auto& file : std::filesystem::directory_iterator(item.path(), failure)) {
            const std::filesystem::path extension = file.path().extension();
            const bool library = extension == ".so" || extension == ".dll" || extension == ".dylib";
            if (library) platform.libraries.push_back(file.path().filename().string());
        }
        std::ranges::sort(platform.libraries);
        platform.here = platform.platform == fmi::platform_folder(version);
        platforms.push_back(std::move(platform));
    }
    std::ranges::sort(platforms, {}, &PlatformBinaries::platform);
    return platforms;
}

std::string inspect_text(const ModelDescription& description, const std::vector<PlatformBinaries>& platforms) {
    const core::UnitInfo& info = description.info;
    std::string text = info.model_name + "\n";
    if (!description.description.empty()) text += "  " + description.description + "\n";
    text += "  FMI " + description.version_text;
    text += info.generation_tool.empty() ? "\n" : ", made by " + info.generation_tool + "\n";
    for (const auto& [name, interface] : interfaces(description)) {
        std::vector<std::string> offered;
        for (const auto& [capability, is_offered] : capabilities(*interface)) {
            if (is_offered) offered.push_back(capability);
        }
        if (!interface->fixed_internal_step.empty()) offered.push_back("fixed step " + interface->fixed_internal_step);
        text += "  " + name + " (" + interface->model_identifier +
                "): " + (offered.empty() ? "no further capabilities" : joined(offered, ", ")) + "\n";
    }
    if (description.scheduled_execution) text += "  scheduled execution: not supported by this program\n";
    text += "  platforms: " + platforms_line(description, platforms) + "\n";
    if (!description.source_files.empty()) text += "  sources: " + joined(description.source_files, ", ") + "\n";
    text += "  experiment: " + experiment_line(info.experiment) + "\n";
    text += "  states: " + std::to_string(description.derivatives.size()) +
            ", event indicators: " + std::to_string(description.event_indicators) + "\n\n";
    return text + std::to_string(info.variables.size()) + " variables\n" + variables_table(description);
}

std::string terminals_text(const std::vector<fmi::Terminal>& terminals) {
    std::string text = terminals.empty() ? "" : "\nterminals\n";
    for (const fmi::Terminal& terminal : terminals) {
        std::vector<std::string> about;
        for (const std::string& part : {terminal.kind, terminal.matching_rule, terminal.description})
            if (!part.empty()) about.push_back(part);
        text += "  " + terminal.name + (about.empty() ? "" : " (" + joined(about, ", ") + ")") + "\n";
        for (const auto& [member, variable] : terminal.members) text += fmt::format("    {} = {}\n", member, variable);
    }
    return text;
}

std::string dependencies_text(const ModelDescription& description) {
    const core::UnitInfo& info = description.info;
    std::string text = "\nstructure\n";
    if (!info.has_model_structure) text += "  not stated; everything is taken as dependent on everything\n";
    text += "  outputs\n" + structure_lines(description, info.outputs);
    text += "  initial unknowns\n" + structure_lines(description, info.initial_unknowns);
    return text;
}

std::string inspect_json(const ModelDescription& description, const std::vector<PlatformBinaries>& platforms,
                         const fmi::Diagnosis* diagnosis, const std::vector<fmi::Terminal>& terminals) {
    const core::UnitInfo& info = description.info;
    base::Json json;
    json["model"] = info.model_name;
    json["description"] = description.description;
    json["fmiVersion"] = description.version_text;
    json["tool"] = info.generation_tool;
    json["token"] = info.token;
    json["interfaces"] = interfaces_json(description);
    json["scheduledExecution"] = description.scheduled_execution;
    json["platforms"] = platforms_json(platforms);
    json["experiment"] = experiment_json(info.experiment);
    if (diagnosis != nullptr) add_diagnosis(*diagnosis, json);
    json["states"] = description.derivatives.size();
    json["eventIndicators"] = description.event_indicators;
    base::Json variables = base::Json::array();
    for (std::size_t i = 0; i < info.variables.size(); ++i) variables.push_back(variable_json(description, i));
    json["variables"] = std::move(variables);
    for (const fmi::Terminal& terminal : terminals) {
        base::Json one{{"name", terminal.name},
                       {"kind", terminal.kind},
                       {"matchingRule", terminal.matching_rule},
                       {"description", terminal.description},
                       {"members", base::Json::array()}};
        for (const auto& [member, variable] : terminal.members)
            one["members"].push_back({{"name", member}, {"variable", variable}});
        json["terminals"].push_back(std::move(one));
    }
    json["structureStated"] = info.has_model_structure;
    json["outputs"] = unknowns_json(description, info.outputs);
    json["initialUnknowns"] = unknowns_json(description, info.initial_unknowns);
    return base::json_text(std::move(json));
}

std::string inspect_json(const base::Error& refusal) {
    base::Json json;
    json["runs"] = false;
    json["why"] = refusal.what();
    json["code"] = refusal.code();
    return base::json_text(std::move(json));
}

}  // namespace master::build
