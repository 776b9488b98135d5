#include "master/build/inspect_system.hpp"

#include "master/base/json.hpp"
#include "master/build/inspect.hpp"
#include "master/core/value_text.hpp"
#include "master/ssp/common.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace master::build {
namespace {

std::string kind_of(const core::UnitInfo* info) {
    if (info == nullptr) return "interface only";
    return info->fmi_version.empty() ? info->interface : "FMI " + info->fmi_version + " " + info->interface;
}

/// What a component exchanges with others: a variable, or what the file declares where there is no unit yet.
struct Port {
    std::string name, type, causality, unit;
    std::vector<std::uint64_t> dimensions;
};

std::vector<Port> ports_of(const ssp::Component& component, const core::UnitInfo* info) {
    std::vector<Port> ports;
    if (info == nullptr) {
        for (const ssp::Connector& connector : component.connectors)
            ports.push_back({.name = connector.name,
                             .type = connector.type,
                             .causality = std::string(ssp::to_string(connector.kind)),
                             .unit = connector.unit ? connector.unit->name : "",
                             .dimensions = {}});
        return ports;
    }
    for (const core::Variable& variable : info->variables) {
        const bool exchanged =
            variable.causality == core::Causality::input || variable.causality == core::Causality::output;
        if (!exchanged && component.connectors.find(variable.name) == nullptr) continue;
        ports.push_back({.name = variable.name,
                         .type = variable.declared_type,
                         .causality = core::name_of(variable.causality),
                         .unit = variable.unit,
                         .dimensions = variable.dimensions});
    }
    return ports;
}

std::string type_text(const Port& port) {
    if (port.dimensions.empty()) return port.type;
    return fmt::format("{}[{}]", port.type, fmt::join(port.dimensions, ","));
}

std::size_t parameters_of(const core::UnitInfo* info) {
    if (info == nullptr) return 0;
    return static_cast<std::size_t>(std::ranges::count_if(info->variables, core::is_parameter));
}

std::string component_text(const ssp::Component& component, const core::UnitInfo* info) {
    std::string text =
        fmt::format("  {:<24} {:<28} {}\n", component.name, kind_of(info), component.source.filename().string());
    std::vector<std::vector<std::string>> rows;
    for (const Port& port : ports_of(component, info))
        rows.push_back({port.causality, port.name, type_text(port), port.unit});
    text += aligned(rows, 4);
    const std::size_t parameters = parameters_of(info);
    if (parameters > 0)
        text += fmt::format("    {} parameter{}: tandem inspect {}\n", parameters, parameters == 1 ? "" : "s",
                            component.shown);
    return text;
}

base::Json component_json(const ssp::Component& component, const core::UnitInfo* info) {
    base::Json json;
    json["name"] = component.name;
    json["source"] = component.shown;
    json["kind"] = kind_of(info);
    base::Json variables = base::Json::array();
    for (const Port& port : ports_of(component, info)) {
        base::Json variable;
        variable["name"] = port.name;
        variable["type"] = port.type;
        variable["causality"] = port.causality;
        if (!port.unit.empty()) variable["unit"] = port.unit;
        for (const std::uint64_t extent : port.dimensions) variable["dimensions"].push_back(extent);
        variables.push_back(std::move(variable));
    }
    json["variables"] = std::move(variables);
    json["parameters"] = parameters_of(info);
    return json;
}

}  // namespace

std::string inspect_text(const Parts& parts) {
    std::string text = parts.description.name + "\n\ncomponents\n";
    for (std::size_t i = 0; i < parts.components.size(); ++i)
        text += component_text(parts.description.components[i], parts.components[i].info);
    text += "\nconnections\n";
    for (const core::PlannedWire& wire : parts.plan.wires) {
        const bool scaled = wire.gain != 1 || wire.offset != 0;
        text +=
            fmt::format("  {}{}\n", wire.label, scaled ? fmt::format("   (x {} + {})", wire.gain, wire.offset) : "");
    }
    if (!parts.plan.boundary.empty()) text += "\nfree inputs and outputs\n";
    for (const core::BoundaryPort& port : parts.plan.boundary)
        text += fmt::format("  {} {}\n", port.input ? "in " : "out", port.name);
    return text;
}

std::string inspect_json(const Parts& parts) {
    base::Json document;
    document["name"] = parts.description.name;
    for (std::size_t i = 0; i < parts.components.size(); ++i)
        document["components"].push_back(component_json(parts.description.components[i], parts.components[i].info));
    for (const core::PlannedWire& wire : parts.plan.wires) document["connections"].push_back(wire.label);
    for (const core::BoundaryPort& port : parts.plan.boundary)
        document[port.input ? "free_inputs" : "outputs"].push_back(port.name);
    return base::json_text(std::move(document));
}

}  // namespace master::build
