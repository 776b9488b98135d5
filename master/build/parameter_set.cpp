#include "interfaces/text/text.hpp"
#include "master/build/inspect.hpp"
#include "master/core/value_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <set>

namespace master::build {
namespace {

using fmi::ModelDescription;
using interfaces::text::escaped;

std::string attribute(std::string_view name, std::string_view value) {
    return " " + std::string(name) + "=\"" + escaped(value) + "\"";
}

bool is_listed(const core::Variable& variable) {
    const bool parameter =
        variable.causality == core::Causality::parameter || variable.causality == core::Causality::structural_parameter;
    return parameter && variable.start && variable.variability != core::Variability::constant;
}

const core::PhysicalUnit* unit_of(const ModelDescription& description, const core::Variable& variable) {
    const auto found = std::ranges::find(description.info.units, variable.unit, &core::PhysicalUnit::name);
    // SSP 1.0 cannot write down a unit without a base; its value then counts in the variable's own unit, as it should.
    return found == description.info.units.end() || !found->exponents ? nullptr : &*found;
}

const core::Enumeration* enumeration_of(const ModelDescription& description, const core::Variable& variable) {
    const auto found = std::ranges::find(description.info.enumerations, variable.enumeration, &core::Enumeration::name);
    return found == description.info.enumerations.end() ? nullptr : &*found;
}

/// The names of an enumeration's values, or nothing where one of them has none.
std::vector<std::string> names_in(const core::Enumeration* enumeration, const core::Value& value) {
    std::vector<std::string> names;
    const auto* numbers = std::get_if<std::vector<std::int64_t>>(&value);
    if (enumeration == nullptr || numbers == nullptr) return names;
    for (const std::int64_t number : *numbers) {
        const auto item = std::ranges::find(enumeration->items, number, &std::pair<std::string, std::int64_t>::second);
        if (item == enumeration->items.end()) return {};
        names.push_back(item->first);
    }
    return names;
}

bool fits_int(const core::Value& value) {
    constexpr std::int64_t lowest = std::numeric_limits<std::int32_t>::min();
    constexpr std::int64_t highest = std::numeric_limits<std::int32_t>::max();
    if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&value)) {
        return std::ranges::all_of(*integers, [](std::int64_t i) { return i >= lowest && i <= highest; });
    }
    if (const auto* naturals = std::get_if<std::vector<std::uint64_t>>(&value)) {
        return std::ranges::all_of(*naturals, [](std::uint64_t i) { return i <= std::uint64_t{highest}; });
    }
    return true;
}

bool needs_version_2(const core::Variable& variable) {
    return !variable.dimensions.empty() || !fits_int(*variable.start);
}

/// Words of a list element: an attribute for one value, <Value> elements for several.
std::string listed(std::string_view element, const std::vector<std::string>& texts, const std::string& more) {
    const std::string name = "ssv:" + std::string(element);
    if (texts.size() == 1) return "<" + name + attribute("value", texts.front()) + more + "/>";
    std::string text = "<" + name + more + ">";
    for (const std::string& value : texts) text += "<ssv:Value" + attribute("value", value) + "/>";
    return text + "</" + name + ">";
}

std::string value_element(const ModelDescription& description, const core::Variable& variable) {
    const core::Value& value = *variable.start;
    const std::vector<std::string> items = names_in(enumeration_of(description, variable), value);
    if (!items.empty()) return listed("Enumeration", items, attribute("name", variable.enumeration));
    const auto whole = [&] {
        if (fits_int(value)) return std::string("Integer");
        return std::string(variable.type == core::Type::natural ? "UInt64" : "Int64");
    };
    switch (variable.type) {
        case core::Type::string:
            return listed("String", core::element_texts(value), "");
        case core::Type::bytes:
            return listed("Binary", core::element_texts(value), attribute("mime-type", variable.mime_type));
        case core::Type::boolean:
            return "<ssv:Boolean" + attribute("value", core::value_text(value)) + "/>";
        case core::Type::real: {
            const core::PhysicalUnit* unit = unit_of(description, variable);
            return "<ssv:Real" + attribute("value", core::value_text(value)) +
                   (unit == nullptr ? "" : attribute("unit", unit->name)) + "/>";
        }
        default:
            return "<ssv:" + whole() + attribute("value", core::value_text(value)) + "/>";
    }
}

std::string unit_element(const core::PhysicalUnit& unit) {
    constexpr std::array names{"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
    std::string base;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if ((*unit.exponents)[i] != 0) base += attribute(names[i], std::to_string((*unit.exponents)[i]));
    }
    if (unit.factor != 1) base += attribute("factor", core::number_text(unit.factor));
    if (unit.offset != 0) base += attribute("offset", core::number_text(unit.offset));
    return "    <ssc:Unit" + attribute("name", unit.name) + "><ssc:BaseUnit" + base + "/></ssc:Unit>\n";
}

std::string enumeration_element(const core::Enumeration& enumeration) {
    std::string text = "    <ssc:Enumeration" + attribute("name", enumeration.name) + ">\n";
    for (const auto& [name, value] : enumeration.items) {
        text += "      <ssc:Item" + attribute("name", name) + attribute("value", std::to_string(value)) + "/>\n";
    }
    return text + "    </ssc:Enumeration>\n";
}

}  // namespace

std::string parameter_set(const ModelDescription& description) {
    const std::vector<core::Variable>& variables = description.info.variables;
    const bool version_2 = std::ranges::any_of(
        variables, [](const core::Variable& variable) { return is_listed(variable) && needs_version_2(variable); });
    std::string parameters, units, enumerations;
    std::set<const void*> defined;  // units and enumerations that the file already has
    for (const core::Variable& variable : variables) {
        if (!is_listed(variable)) continue;
        parameters += "    <ssv:Parameter" + attribute("name", variable.name) + ">" +
                      value_element(description, variable) + "</ssv:Parameter>\n";
        const core::PhysicalUnit* unit = unit_of(description, variable);
        if (unit != nullptr && defined.insert(unit).second) units += unit_element(*unit);
        const core::Enumeration* enumeration = enumeration_of(description, variable);
        const bool has_items = enumeration != nullptr && !enumeration->items.empty();
        if (has_items && defined.insert(enumeration).second) enumerations += enumeration_element(*enumeration);
    }
    std::string text =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<ssv:ParameterSet xmlns:ssv=\"http://ssp-standard.org/SSP1/SystemStructureParameterValues\"\n"
        "    xmlns:ssc=\"http://ssp-standard.org/SSP1/SystemStructureCommon\"" +
        attribute("version", version_2 ? "2.0" : "1.0") + attribute("name", description.info.model_name) + ">\n";
    text += "  <ssv:Parameters>\n" + parameters + "  </ssv:Parameters>\n";
    if (!enumerations.empty()) text += "  <ssv:Enumerations>\n" + enumerations + "  </ssv:Enumerations>\n";
    if (!units.empty()) text += "  <ssv:Units>\n" + units + "  </ssv:Units>\n";
    return text + "</ssv:ParameterSet>\n";
}

}  // namespace master::build
