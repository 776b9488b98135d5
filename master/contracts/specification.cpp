#include "master/contracts/specification.hpp"

#include "interfaces/text/text.hpp"
#include "master/build/resolve/well_known_units.hpp"
#include "master/core/value_text.hpp"
#include "master/ssp/common.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <variant>

namespace master::contracts {
namespace {

using core::number_text;
using interfaces::text::escaped;

std::string contract_element(const Entry& entry) {
    const ssp::Contract& contract = entry.contract;
    std::string attributes;
    const auto add = [&](const char* attribute, const std::string& value) {
        attributes += fmt::format(" {}=\"{}\"", attribute, escaped(value));
    };
    const auto add_number = [&](const char* attribute, const std::optional<double>& value) {
        if (value && std::isfinite(*value)) add(attribute, number_text(*value));
    };
    add_number("min", contract.minimum);
    add_number("max", contract.maximum);
    if (contract.nominal && *contract.nominal > 0) add_number("nominal", contract.nominal);
    add_number("resolution", contract.resolution);
    if (contract.period) add("period", base::to_string(*contract.period));
    add_number("jitter", contract.jitter);
    add_number("maximalAge", contract.maximal_age);
    if (!contract.age_from.empty()) add("ageFrom", contract.age_from);
    add_number("rate", contract.rate);
    if (contract.start && entry.dimensions.empty()) add("start", *contract.start);
    if (!contract.variability.empty()) add("variability", contract.variability);
    if (entry.dependencies && entry.kind == ssp::Kind::output) {
        std::string inputs;
        for (const std::string& input : *entry.dependencies) inputs += (inputs.empty() ? "" : " ") + input;
        // A list of names cannot hold one with a blank.
        if (std::ranges::none_of(*entry.dependencies, [](const auto& input) { return input.find(' ') != input.npos; }))
            add("dependsOn", inputs);
    }
    if (!contract.requirement.empty()) add("requirement", contract.requirement);
    if (contract.severity == ssp::Severity::warning) add("severity", "warning");
    if (attributes.empty()) return {};
    return "<ssd:Annotations><ssc:Annotation type=\"io.tandem.cosim\"><t:Contract" + attributes +
           "/></ssc:Annotation></ssd:Annotations>";
}

std::string type_element(const Entry& entry) {
    std::string out;
    const std::string unit =
        entry.unit && !entry.unit->name.empty() ? fmt::format(" unit=\"{}\"", escaped(entry.unit->name)) : "";
    if (entry.type == "Enumeration" && entry.enumeration)
        out = fmt::format("<ssc:Enumeration name=\"{}\"/>", escaped(entry.enumeration->name));
    else if (entry.type.starts_with("Float"))
        out = fmt::format("<ssc:{}{}/>", entry.type, unit);
    else if (!entry.type.empty() && entry.type != "Enumeration")
        out = fmt::format("<ssc:{}/>", entry.type);
    for (const auto& extent : entry.dimensions)
        out += extent ? fmt::format("<ssc:Dimension size=\"{}\"/>", *extent) : "<ssc:Dimension/>";
    return out;
}

std::string connectors(const Element& element, const std::string& indent) {
    if (element.entries.empty()) return {};
    std::string out = indent + "<ssd:Connectors>\n";
    for (const Entry& entry : element.entries)
        out +=
            fmt::format("{}  <ssd:Connector name=\"{}\" kind=\"{}\">{}{}</ssd:Connector>\n", indent,
                        escaped(entry.name), ssp::to_string(entry.kind), type_element(entry), contract_element(entry));
    return out + indent + "</ssd:Connectors>\n";
}

std::string requires_element(const UnitFacts& unit) {
    return fmt::format(
        "        <ssd:Annotations><ssc:Annotation type=\"io.tandem.cosim\"><t:Component>"
        "<t:Requires fmiVersion=\"{}\"/></t:Component></ssc:Annotation></ssd:Annotations>\n",
        unit.fmi_version);
}

/// Empty for a unit that nobody defines: its name alone says as much.
std::string unit_element(const core::PhysicalUnit& named) {
    const core::PhysicalUnit* unit = named.exponents ? &named : build::well_known_unit(named.name);
    if (unit == nullptr) return {};
    static constexpr std::array<const char*, 8> names{"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
    std::string base;
    for (std::size_t i = 0; i < names.size(); ++i)
        if ((*unit->exponents)[i] != 0) base += fmt::format(" {}=\"{}\"", names[i], (*unit->exponents)[i]);
    if (unit->factor != 1) base += fmt::format(" factor=\"{}\"", number_text(unit->factor));
    if (unit->offset != 0) base += fmt::format(" offset=\"{}\"", number_text(unit->offset));
    return fmt::format("    <ssc:Unit name=\"{}\"><ssc:BaseUnit{}/></ssc:Unit>\n", escaped(named.name), base);
}

std::string definitions(const Interface& interface) {
    std::map<std::string, core::PhysicalUnit> units;
    std::map<std::string, core::Enumeration> enumerations;
    for (const Element& element : interface.elements) {
        for (const Entry& entry : element.entries) {
            if (entry.unit && !entry.unit->name.empty()) units.emplace(entry.unit->name, *entry.unit);
            if (entry.type == "Enumeration" && entry.enumeration)
                enumerations.emplace(entry.enumeration->name, *entry.enumeration);
        }
    }
    std::string out;
    if (!enumerations.empty()) {
        out += "  <ssd:Enumerations>\n";
        for (const auto& [name, enumeration] : enumerations) {
            out += fmt::format("    <ssc:Enumeration name=\"{}\">", escaped(name));
            for (const auto& [item, value] : enumeration.items)
                out += fmt::format("<ssc:Item name=\"{}\" value=\"{}\"/>", escaped(item), value);
            out += "</ssc:Enumeration>\n";
        }
        out += "  </ssd:Enumerations>\n";
    }
    std::string defined;
    for (const auto& [name, unit] : units) defined += unit_element(unit);
    return defined.empty() ? out : out + "  <ssd:Units>\n" + defined + "  </ssd:Units>\n";
}

/// One row of the interface table.
std::array<std::string, 8> row_of(const Element& element, const Entry& entry) {
    const auto number = [](const std::optional<double>& value) { return value ? fmt::format("{:g}", *value) : ""; };
    std::string type = entry.type;
    for (const auto& extent : entry.dimensions) type += extent ? fmt::format("[{}]", *extent) : "[]";
    return {element.name.empty() ? entry.name : element.name + "." + entry.name,
            std::string(ssp::to_string(entry.kind)),
            type,
            entry.unit ? entry.unit->name : "",
            number(entry.contract.minimum),
            number(entry.contract.maximum),
            entry.contract.period ? base::to_string(*entry.contract.period) : "",
            entry.contract.requirement};
}

constexpr std::array<const char*, 8> headings{"name", "kind", "type", "unit", "min", "max", "period", "requirement"};

int digit_of(double size) { return size > 0 ? static_cast<int>(std::floor(std::log10(size))) : 0; }

/// A range is no better known than to a thousandth of its span, and people read it: so many digits, rounded outward.
double at_digit(double (*rounded)(double), double value, int digit) {
    return std::stod(fmt::format("{:.0f}e{}", rounded(value / std::pow(10, digit)), digit));
}

}  // namespace

std::string specification_of(const Interface& interface, const std::string& name) {
    std::string out = fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- Made from {}. -->\n"
        "<ssd:SystemStructureDescription xmlns:ssd=\"http://ssp-standard.org/SSP1/SystemStructureDescription\"\n"
        "                                xmlns:ssc=\"http://ssp-standard.org/SSP1/SystemStructureCommon\"\n"
        "                                xmlns:t=\"urn:tandem:cosim:1\" version=\"2.0\" name=\"{}\">\n"
        "  <ssd:System name=\"{}\">\n",
        // Two dashes would end the comment.
        escaped(std::filesystem::path(interface.file).filename().string().find("--") == std::string::npos
                    ? std::filesystem::path(interface.file).filename().string()
                    : "a file"),
        escaped(name), escaped(name));
    std::string components;
    for (const Element& element : interface.elements) {
        if (element.name.empty()) {
            out += connectors(element, "    ");
            continue;
        }
        components +=
            fmt::format("      <ssd:Component name=\"{}\">\n{}{}      </ssd:Component>\n", escaped(element.name),
                        connectors(element, "        "), element.unit ? requires_element(*element.unit) : "");
    }
    if (!components.empty()) out += "    <ssd:Elements>\n" + components + "    </ssd:Elements>\n";
    return out + "  </ssd:System>\n" + definitions(interface) + "</ssd:SystemStructureDescription>\n";
}

Interface interface_of(const results::Table& result, const std::string& file, double margin) {
    Interface interface {
        .form = Interface::Form::specification, .file = file, .elements = {}
    };
    for (const results::TableColumn& column : result.columns) {
        const auto* values = std::get_if<std::vector<double>>(&column.values);
        if (values == nullptr || column.constant) continue;
        double low = std::numeric_limits<double>::infinity(), high = -low;
        for (const double value : *values) {
            if (!std::isfinite(value)) continue;
            low = std::min(low, value);
            high = std::max(high, value);
        }
        if (low > high) continue;
        const std::size_t dot = column.name.find('.');
        const std::string component = dot == std::string::npos ? "" : column.name.substr(0, dot);
        auto element = std::ranges::find(interface.elements, component, &Element::name);
        if (element == interface.elements.end()) {
            interface.elements.push_back({.name = component, .entries = {}, .where = file});
            element = interface.elements.end() - 1;
        }
        const double room = margin * (high - low);
        Entry entry{.name = dot == std::string::npos ? column.name : column.name.substr(dot + 1),
                    .kind = ssp::Kind::output,
                    .type = "Float64",
                    .where = file};
        if (!column.unit.empty()) entry.unit = core::PhysicalUnit{.name = column.unit, .exponents = {}};
        const int last_digit = digit_of(high - low > 0 ? high - low : std::fabs(high)) - 3;
        entry.contract.minimum = at_digit(std::floor, low - room, last_digit);
        entry.contract.maximum = at_digit(std::ceil, high + room, last_digit);
        element->entries.push_back(std::move(entry));
    }
    return interface;
}

std::string markdown_of(const Interface& interface) {
    std::string out = "|";
    for (const char* heading : headings) out += fmt::format(" {} |", heading);
    out += "\n|";
    for (std::size_t i = 0; i < headings.size(); ++i) out += "---|";
    out += "\n";
    for (const Element& element : interface.elements)
        for (const Entry& entry : element.entries) {
            out += "|";
            for (std::string cell : row_of(element, entry)) {
                for (std::size_t at = cell.find('|'); at != std::string::npos; at = cell.find('|', at + 2))
                    cell.insert(at, "\\");
                out += " " + cell + " |";
            }
            out += "\n";
        }
    return out;
}

std::string csv_of(const Interface& interface) {
    const auto quoted = [](const std::string& cell) {
        if (cell.find_first_of(",\"\n") == std::string::npos) return cell;
        std::string out = "\"";
        for (const char c : cell) out += c == '"' ? std::string("\"\"") : std::string(1, c);
        return out + "\"";
    };
    std::string out;
    for (const char* heading : headings) out += (out.empty() ? "" : ",") + std::string(heading);
    out += "\n";
    for (const Element& element : interface.elements)
        for (const Entry& entry : element.entries) {
            std::string line;
            for (const std::string& cell : row_of(element, entry)) line += "," + quoted(cell);
            out += line.substr(1) + "\n";
        }
    return out;
}

}  // namespace master::contracts
