#include "master/ssp/common.hpp"

#include "master/base/xml/values.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <set>

namespace master::ssp {
namespace {

constexpr std::array<std::string_view, 17> type_names{"Real",    "Float64", "Float32",     "Integer", "Int8",  "UInt8",
                                                      "Int16",   "UInt16",  "Int32",       "UInt32",  "Int64", "UInt64",
                                                      "Boolean", "String",  "Enumeration", "Binary",  "Clock"};

constexpr std::array<std::string_view, 9> kind_names{
    "input",    "output", "inout",      "parameter", "calculatedParameter", "structuralParameter",
    "constant", "local",  "unspecified"};

struct NamedForm {
    std::string_view name;
    Transformation::Form form;
};

constexpr std::array<NamedForm, 4> forms{{
    {"LinearTransformation", Transformation::Form::linear},
    {"BooleanMappingTransformation", Transformation::Form::boolean},
    {"IntegerMappingTransformation", Transformation::Form::integer},
    {"EnumerationMappingTransformation", Transformation::Form::enumeration},
}};

/// Children of that name, which belong to the Common namespace; several tools put them into that of their parent.
std::vector<pugi::xml_node> common_children(pugi::xml_node parent, std::string_view name, base::Page& page) {
    std::vector<pugi::xml_node> found;
    for (const pugi::xml_node node : parent.children()) {
        if (node.type() != pugi::node_element) continue;
        if (base::local_name(node) != name) {
            page.unknown_child(node);
            continue;
        }
        if (base::space_of(node) != base::Space::common)
            page.ignored(node, "namespace of " + std::string(name),
                         "'" + std::string(node.name()) +
                             "' is not in the namespace of SystemStructureCommon; it is "
                             "read as if it were");
        found.push_back(node);
    }
    return found;
}

core::PhysicalUnit read_unit(pugi::xml_node node, base::Page& page) {
    core::PhysicalUnit unit{.name = page.required(node, "name"), .exponents = {}};
    const std::vector<pugi::xml_node> bases = common_children(node, "BaseUnit", page);
    const pugi::xml_node base = bases.empty() ? pugi::xml_node{} : bases.front();
    if (!base) {
        page.note("unit-undefined", node, "unit '" + unit.name + "' has no BaseUnit; it cannot be converted");
        return unit;
    }
    page.check_attributes(base, {"kg", "m", "s", "A", "K", "mol", "cd", "rad", "factor", "offset"});
    std::array<int, 8> exponents{};
    static constexpr std::array<const char*, 8> names{"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
    for (std::size_t i = 0; i < names.size(); ++i) {
        const pugi::xml_attribute attribute = base.attribute(names[i]);
        if (!attribute) continue;
        const std::optional<std::int64_t> exponent = base::parse_integer(attribute.value());
        if (!exponent || *exponent < -1000 || *exponent > 1000) {
            page.error("bad-value", base,
                       "exponent of '" + std::string(names[i]) + "' is '" + attribute.value() +
                           "', expected a small whole number");
            continue;
        }
        exponents[i] = static_cast<int>(*exponent);
    }
    unit.exponents = exponents;
    unit.factor = page.number(base, "factor", 1);
    unit.offset = page.number(base, "offset", 0);
    if (unit.factor == 0 || unit.factor != unit.factor) {
        page.error("bad-value", base, "factor of unit '" + unit.name + "' must be a number other than 0");
        unit.factor = 1;
    }
    return unit;
}

core::Enumeration read_enumeration(pugi::xml_node node, base::Page& page) {
    core::Enumeration enumeration{.name = page.required(node, "name"), .items = {}};
    std::set<std::string> names;
    std::map<std::int64_t, std::string> by_value;
    for (const pugi::xml_node item : common_children(node, "Item", page)) {
        const std::string name = page.required(item, "name"), text = page.required(item, "value");
        const std::optional<std::int64_t> value = base::parse_integer(text);
        if (!value) {
            page.error("bad-value", item, "value of enumeration item is '" + text + "', expected a whole number");
            continue;
        }
        if (!names.insert(name).second)
            page.error("duplicate-name", item, "enumeration '" + enumeration.name + "' has two items '" + name + "'");
        const auto [first, is_new] = by_value.emplace(*value, name);
        if (!is_new && first->second != name)
            page.error(
                "bad-value", item,
                fmt::format("items '{}' and '{}' of enumeration '{}' both have the value {}, expected one of its own "
                            "for each",
                            first->second, name, enumeration.name, text));
        enumeration.items.emplace_back(name, *value);
    }
    return enumeration;
}

bool says_the_same(const core::PhysicalUnit& a, const core::PhysicalUnit& b) {
    return a.exponents == b.exponents && a.factor == b.factor && a.offset == b.offset;
}

bool says_the_same(const core::Enumeration& a, const core::Enumeration& b) { return a.items == b.items; }

/// What a name means must not depend on which of two definitions stands first.
template <typename Definition>
void add_definition(std::vector<Definition>& definitions, Definition added, pugi::xml_node node, base::Page& page) {
    const auto first = std::ranges::find(definitions, added.name, &Definition::name);
    if (first != definitions.end() && !says_the_same(*first, added))
        page.error("duplicate-name", node,
                   std::string(base::local_name(node)) + " '" + added.name + "' is defined twice, and differently");
    definitions.push_back(std::move(added));
}

void report_undefined(const std::string& enumeration, pugi::xml_node node, const Definitions& definitions,
                      const base::Page& page) {
    std::vector<std::string> known;
    known.reserve(definitions.enumerations.size());
    for (const core::Enumeration& one : definitions.enumerations) known.push_back(one.name);
    page.error(
        "unknown-name", node,
        "enumeration '" + enumeration + "' is not defined in this file" + base::did_you_mean(enumeration, known));
}

}  // namespace

bool is_standard(base::Space space) {
    return space != base::Space::other && space != base::Space::ours && space != base::Space::scenario;
}

core::PhysicalUnit Definitions::unit(const std::string& name) const {
    const auto found = std::ranges::find(units, name, &core::PhysicalUnit::name);
    return found == units.end() ? core::PhysicalUnit{.name = name, .exponents = {}} : *found;
}

std::optional<core::Enumeration> Definitions::enumeration(const std::string& name) const {
    const auto found = std::ranges::find(enumerations, name, &core::Enumeration::name);
    if (found == enumerations.end()) return std::nullopt;
    return *found;
}

Definitions read_definitions(pugi::xml_node root, base::Space space, base::Page& page) {
    Definitions definitions;
    for (const pugi::xml_node unit : common_children(base::child(root, space, "Units"), "Unit", page))
        add_definition(definitions.units, read_unit(unit, page), unit, page);
    for (const pugi::xml_node node : common_children(base::child(root, space, "Enumerations"), "Enumeration", page))
        add_definition(definitions.enumerations, read_enumeration(node, page), node, page);
    return definitions;
}

bool is_transformation(pugi::xml_node node) {
    return node.type() == pugi::node_element && is_standard(base::space_of(node)) &&
           std::ranges::find(forms, base::local_name(node), &NamedForm::name) != forms.end();
}

Transformation read_transformation(pugi::xml_node parent, base::Page& page) {
    Transformation transformation;
    for (const pugi::xml_node node : parent.children()) {
        if (!is_transformation(node)) continue;
        if (transformation.form != Transformation::Form::none) {
            page.error("transformation", node, "a second transformation; at most one is allowed");
            break;
        }
        transformation.form = std::ranges::find(forms, base::local_name(node), &NamedForm::name)->form;
        transformation.where = page.where(node);
        if (transformation.form == Transformation::Form::linear) {
            page.check_attributes(node, {"factor", "offset"});
            transformation.factor = page.number(node, "factor", 1);
            transformation.offset = page.number(node, "offset", 0);
            continue;
        }
        for (const pugi::xml_node entry : node.children()) {
            if (base::local_name(entry) == "MapEntry" && is_standard(base::space_of(entry)))
                transformation.table.emplace_back(page.required(entry, "source"), page.required(entry, "target"));
            else
                page.unknown_child(entry);
        }
    }
    return transformation;
}

bool is_type(pugi::xml_node node) {
    if (node.type() != pugi::node_element || !is_standard(base::space_of(node))) return false;
    if (std::ranges::find(type_names, base::local_name(node)) == type_names.end()) return false;
    // <ssd:Clock name="..."/> associates a connector with a clock; <ssc:Clock/> is a type.
    return !(base::is(node, base::Space::description, "Clock") && node.attribute("name"));
}

void read_type(pugi::xml_node parent, const Definitions& definitions, base::Page& page, Connector& connector) {
    for (const pugi::xml_node node : parent.children()) {
        if (is_type(node)) {
            connector.type = base::local_name(node);
            if (const pugi::xml_attribute unit = node.attribute("unit"); unit && *unit.value() != '\0')
                connector.unit = definitions.unit(unit.value());
            connector.mime_type = node.attribute("mime-type").value();
            if (connector.type == "Enumeration") {
                const std::string name = page.required(node, "name");
                connector.enumeration = definitions.enumeration(name);
                if (!connector.enumeration && !name.empty()) report_undefined(name, node, definitions, page);
            }
            continue;
        }
        if (base::local_name(node) == "Dimension" && is_standard(base::space_of(node))) {
            Extent extent{.size = {}, .connector = node.attribute("sizeConnector").value()};
            if (const pugi::xml_attribute size = node.attribute("size")) {
                extent.size = base::parse_natural(size.value());
                if (!extent.size)
                    page.error("bad-value", node,
                               "size of a dimension is '" + std::string(size.value()) + "', expected a whole number");
            }
            connector.dimensions.push_back(std::move(extent));
            continue;
        }
        if (base::is(node, base::Space::description, "Clock")) {
            connector.clocks.emplace_back(node.attribute("name").value());
            continue;
        }
        if (base::local_name(node) == "Annotations" && is_standard(base::space_of(node))) continue;  // read apart
        page.unknown_child(node);
    }
}

std::optional<Kind> kind_from(std::string_view text) {
    const auto found = std::ranges::find(kind_names, text);
    if (found == kind_names.end()) return std::nullopt;
    return static_cast<Kind>(found - kind_names.begin());
}

std::string_view to_string(Kind kind) { return kind_names[static_cast<std::size_t>(kind)]; }

std::vector<std::uint64_t> read_indices(pugi::xml_node node, const char* attribute, base::Page& page) {
    std::vector<std::uint64_t> indices;
    for (const std::string_view word : base::words(node.attribute(attribute).value())) {
        const std::optional<std::uint64_t> index = base::parse_natural(word);
        if (!index || *index == 0) {
            page.error(
                "bad-value", node,
                std::string(attribute) + " has '" + std::string(word) + "', expected whole numbers counted from 1");
            return {};
        }
        indices.push_back(*index);
    }
    return indices;
}

}  // namespace master::ssp
