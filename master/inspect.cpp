#include "master/inspect.hpp"

#include "master/fmi/library.hpp"
#include "master/json.hpp"
#include "master/value_text.hpp"

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

namespace master {
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
    const Variable& variable = description.info.variables[index];
    std::vector<std::string> extents;
    for (std::size_t i = 0; i < variable.dimensions.size(); ++i) {
        const auto& parameter = description.dimensions[index][i].parameter;
        const std::string size = std::to_string(variable.dimensions[i]);
        extents.push_back(parameter ? description.info.variables[*parameter].name + "=" + size : size);
    }
    return joined(extents, " x ");
}

std::string start_text(const Variable& variable) {
    if (!variable.start) return {};
    std::string text = value_text(*variable.start);
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
    using Row = std::array<std::string, 7>;
    std::vector<Row> rows{{"name", "type", "causality", "variability", "unit", "start", "dimensions"}};
    for (std::size_t i = 0; i < description.info.variables.size(); ++i) {
        const Variable& variable = description.info.variables[i];
        rows.push_back({variable.name, variable.declared_type, name_of(variable.causality),
                        name_of(variable.variability), variable.unit, start_text(variable),
                        dimensions_text(description, i)});
    }
    std::array<std::size_t, std::tuple_size_v<Row>> widths{};
    for (const Row& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
    }
    std::string table;
    for (const Row& row : rows) {
        std::string line = " ";
        for (std::size_t i = 0; i < row.size(); ++i) {
            line += " " + row[i] + std::string(widths[i] - width(row[i]) + 1, ' ');
        }
        table += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return table;
}

std::string structure_lines(const ModelDescription& description, const std::vector<Unknown>& unknowns) {
    std::string text;
    for (const Unknown& unknown : unknowns) {
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

std::string experiment_line(const Experiment& experiment) {
    std::vector<std::string> parts;
    if (experiment.start) parts.push_back("start " + number_text(*experiment.start));
    if (experiment.stop) parts.push_back("stop " + number_text(*experiment.stop));
    if (!experiment.step.empty()) parts.push_back("step " + experiment.step);
    if (experiment.tolerance) parts.push_back("tolerance " + number_text(*experiment.tolerance));
    return parts.empty() ? "none" : joined(parts, ", ");
}

std::string platforms_line(const ModelDescription& description, const std::vector<PlatformBinaries>& platforms) {
    std::vector<std::string> names;
    for (const PlatformBinaries& platform : platforms) {
        names.push_back(platform.platform + " (" + joined(platform.libraries, ", ") + ")");
    }
    const bool here = std::ranges::any_of(platforms, &PlatformBinaries::here);
    const std::string own(fmi::platform_folder(description.version));
    return (names.empty() ? "none" : joined(names, ", ")) +
           (here ? "; runs on this one, " : "; nothing for this one, ") + own;
}

void write_experiment(JsonWriter& json, const Experiment& experiment) {
    const auto number = [&](const char* name, const std::optional<double>& value) {
        if (!value) return;
        json.key(name);
        json.number(*value);
    };
    json.key("experiment");
    json.begin_object();
    number("start", experiment.start);
    number("stop", experiment.stop);
    number("tolerance", experiment.tolerance);
    if (!experiment.step.empty()) {
        json.key("step");
        json.string(experiment.step);
    }
    json.end_object();
}

void write_element(JsonWriter& json, double value) { json.number(value); }
void write_element(JsonWriter& json, std::int64_t value) { json.integer(value); }
void write_element(JsonWriter& json, std::uint64_t value) { json.natural(value); }
void write_element(JsonWriter& json, std::uint8_t value) { json.boolean(value != 0); }
void write_element(JsonWriter& json, const std::string& value) { json.string(value); }
void write_element(JsonWriter& json, const ByteString& value) {
    json.string(element_texts(Value(std::vector<ByteString>{value})).front());
}

void write_start(JsonWriter& json, const Variable& variable) {
    json.key("start");
    std::visit(
        [&](const auto& elements) {
            if (variable.dimensions.empty() && elements.size() == 1) {
                write_element(json, elements.front());
                return;
            }
            json.begin_array();
            for (const auto& element : elements) write_element(json, element);
            json.end_array();
        },
        *variable.start);
}

void write_variable(JsonWriter& json, const ModelDescription& description, std::size_t index) {
    const Variable& variable = description.info.variables[index];
    const auto text = [&](const char* name, std::string_view value) {
        if (value.empty()) return;
        json.key(name);
        json.string(value);
    };
    json.begin_object();
    text("name", variable.name);
    json.key("reference");
    json.natural(description.references[index]);
    text("type", variable.declared_type);
    text("causality", name_of(variable.causality));
    text("variability", name_of(variable.variability));
    if (variable.initial != Initial::none) text("initial", name_of(variable.initial));
    text("unit", variable.unit);
    text("enumeration", variable.enumeration);
    text("description", variable.description);
    if (!variable.dimensions.empty()) {
        json.key("dimensions");
        json.begin_array();
        for (const std::uint64_t extent : variable.dimensions) json.natural(extent);
        json.end_array();
    }
    if (variable.start) write_start(json, variable);
    json.end_object();
}

void write_unknowns(JsonWriter& json, const ModelDescription& description, const char* key,
                    const std::vector<Unknown>& unknowns) {
    json.key(key);
    json.begin_array();
    for (const Unknown& unknown : unknowns) {
        json.begin_object();
        json.key("name");
        json.string(description.info.variables[unknown.variable].name);
        json.key("dependencies");  // null: on everything
        if (unknown.dependencies) {
            json.begin_array();
            for (const std::uint32_t i : *unknown.dependencies) json.string(description.info.variables[i].name);
            json.end_array();
        } else {
            json.null();
        }
        json.end_object();
    }
    json.end_array();
}

void write_interfaces(JsonWriter& json, const ModelDescription& description) {
    json.key("interfaces");
    json.begin_array();
    for (const auto& [name, interface] : interfaces(description)) {
        json.begin_object();
        json.key("name");
        json.string(name);
        json.key("modelIdentifier");
        json.string(interface->model_identifier);
        json.key("capabilities");
        json.begin_object();
        for (const auto& [capability, offered] : capabilities(*interface)) {
            json.key(capability);
            json.boolean(offered);
        }
        json.end_object();
        json.end_object();
    }
    json.end_array();
    json.key("scheduledExecution");
    json.boolean(description.scheduled_execution);
}

void write_platforms(JsonWriter& json, const std::vector<PlatformBinaries>& platforms) {
    json.key("platforms");
    json.begin_array();
    for (const PlatformBinaries& platform : platforms) {
        json.begin_object();
        json.key("name");
        json.string(platform.platform);
        json.key("here");
        json.boolean(platform.here);
        json.key("libraries");
        json.begin_array();
        for (const std::string& library : platform.libraries) json.string(library);
        json.end_array();
        json.end_object();
    }
    json.end_array();
}

}  // namespace

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
    const UnitInfo& info = description.info;
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
    text += "  states: " + std::to_string(description.states.size()) +
            ", event indicators: " + std::to_string(description.event_indicators) + "\n\n";
    text += std::to_string(info.variables.size()) + " variables\n" + variables_table(description);
    text += "\nstructure\n";
    if (!info.has_model_structure) text += "  not stated; everything is taken as dependent on everything\n";
    text += "  outputs\n" + structure_lines(description, info.outputs);
    text += "  initial unknowns\n" + structure_lines(description, info.initial_unknowns);
    return text;
}

std::string inspect_json(const ModelDescription& description, const std::vector<PlatformBinaries>& platforms) {
    const UnitInfo& info = description.info;
    JsonWriter json;
    const auto text = [&](const char* name, std::string_view value) {
        json.key(name);
        json.string(value);
    };
    json.begin_object();
    text("model", info.model_name);
    text("description", description.description);
    text("fmiVersion", description.version_text);
    text("tool", info.generation_tool);
    text("token", info.token);
    write_interfaces(json, description);
    write_platforms(json, platforms);
    write_experiment(json, info.experiment);
    json.key("states");
    json.natural(description.states.size());
    json.key("eventIndicators");
    json.natural(description.event_indicators);
    json.key("variables");
    json.begin_array();
    for (std::size_t i = 0; i < info.variables.size(); ++i) write_variable(json, description, i);
    json.end_array();
    json.key("structureStated");
    json.boolean(info.has_model_structure);
    write_unknowns(json, description, "outputs", info.outputs);
    write_unknowns(json, description, "initialUnknowns", info.initial_unknowns);
    json.end_object();
    return json.text();
}

}  // namespace master
