#include "master/base/xml/values.hpp"
#include "master/fmi/description/array_sizes.hpp"
#include "master/fmi/description/reader.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <numeric>
#include <set>
#include <span>
#include <utility>

namespace master::fmi {
namespace {

struct TypeName {
    std::string_view name;
    core::Type type;
    Native native;
};
constexpr std::array fmi2_types{
    TypeName{"Real", core::Type::real, Native::float64}, TypeName{"Integer", core::Type::integer, Native::int32},
    TypeName{"Boolean", core::Type::boolean, Native::boolean}, TypeName{"String", core::Type::string, Native::string},
    TypeName{"Enumeration", core::Type::integer, Native::int32}};
constexpr std::array fmi3_types{TypeName{"Float64", core::Type::real, Native::float64},
                                TypeName{"Float32", core::Type::real, Native::float32},
                                TypeName{"Int8", core::Type::integer, Native::int8},
                                TypeName{"UInt8", core::Type::natural, Native::uint8},
                                TypeName{"Int16", core::Type::integer, Native::int16},
                                TypeName{"UInt16", core::Type::natural, Native::uint16},
                                TypeName{"Int32", core::Type::integer, Native::int32},
                                TypeName{"UInt32", core::Type::natural, Native::uint32},
                                TypeName{"Int64", core::Type::integer, Native::int64},
                                TypeName{"UInt64", core::Type::natural, Native::uint64},
                                TypeName{"Boolean", core::Type::boolean, Native::boolean},
                                TypeName{"String", core::Type::string, Native::string},
                                TypeName{"Binary", core::Type::bytes, Native::binary},
                                TypeName{"Enumeration", core::Type::integer, Native::int64},
                                TypeName{"Clock", core::Type::clock, Native::clock}};

constexpr std::array<std::pair<std::string_view, core::Causality>, 7> causalities{
    {{"structuralParameter", core::Causality::structural_parameter},
     {"parameter", core::Causality::parameter},
     {"calculatedParameter", core::Causality::calculated_parameter},
     {"input", core::Causality::input},
     {"output", core::Causality::output},
     {"local", core::Causality::local},
     {"independent", core::Causality::independent}}};
constexpr std::array<std::pair<std::string_view, core::Variability>, 5> variabilities{
    {{"constant", core::Variability::constant},
     {"fixed", core::Variability::fixed},
     {"tunable", core::Variability::tunable},
     {"discrete", core::Variability::discrete},
     {"continuous", core::Variability::continuous}}};
constexpr std::array<std::pair<std::string_view, core::Initial>, 3> initials{
    {{"exact", core::Initial::exact}, {"approx", core::Initial::approx}, {"calculated", core::Initial::calculated}}};
constexpr std::array<std::pair<std::string_view, core::ClockKind>, 7> clock_kinds{
    {{"constant", core::ClockKind::constant},
     {"fixed", core::ClockKind::fixed},
     {"calculated", core::ClockKind::calculated},
     {"tunable", core::ClockKind::tunable},
     {"changing", core::ClockKind::changing},
     {"countdown", core::ClockKind::countdown},
     {"triggered", core::ClockKind::triggered}}};

/// References that can be followed only when all variables are known.
struct Pending {
    struct Extent {
        std::uint32_t variable = 0;
        std::size_t dimension = 0;
        pugi::xml_node node;
    };
    std::vector<Extent> extents;
    std::vector<std::uint32_t> clocked;  // variables with an attribute `clocks`
};

std::span<const TypeName> type_names(const DescriptionReader& reader) {
    return reader.is_fmi3() ? std::span<const TypeName>(fmi3_types) : std::span<const TypeName>(fmi2_types);
}

const TypeName* find_type(const DescriptionReader& reader, std::string_view name) {
    for (const TypeName& type : type_names(reader)) {
        if (type.name == name) return &type;
    }
    return nullptr;
}

std::string list(std::span<const std::string> names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

/// The word of an attribute in a table; nothing when it is absent, an error when it is unknown.
template <typename Kind, std::size_t count>
std::optional<Kind> word(DescriptionReader& reader, pugi::xml_node node, pugi::xml_attribute attribute,
                         const std::array<std::pair<std::string_view, Kind>, count>& table) {
    if (!attribute) return std::nullopt;
    const std::string_view text = base::trimmed(attribute.value());
    for (const auto& [name, kind] : table) {
        if (name == text) return kind;
    }
    std::vector<std::string> known;
    known.reserve(count);
    for (const auto& entry : table) known.emplace_back(entry.first);
    reader.remarks.error("bad-value", node,
                         std::string(attribute.name()) + " is '" + std::string(text) + "'; expected one of " +
                             list(known) + base::did_you_mean(text, known));
    return std::nullopt;
}

/// A variable's own attribute, or the one of its type definition.
struct Attributes {
    pugi::xml_node own, inherited;

    [[nodiscard]] pugi::xml_attribute find(const char* name) const {
        const pugi::xml_attribute attribute = own.attribute(name);
        return attribute || !inherited ? attribute : inherited.attribute(name);
    }
    [[nodiscard]] pugi::xml_node owner(const char* name) const { return own.attribute(name) ? own : inherited; }
};

pugi::xml_node inherited_attributes(DescriptionReader& reader, pugi::xml_node own, core::Variable& variable) {
    const pugi::xml_attribute declared = own.attribute("declaredType");
    if (!declared) return {};
    const auto found = reader.types.find(std::string_view(declared.value()));
    if (found == reader.types.end()) {
        std::vector<std::string> known;
        known.reserve(reader.types.size());
        for (const auto& entry : reader.types) known.push_back(entry.first);
        reader.remarks.error("unknown-name", own,
                             "variable '" + variable.name + "' has the declaredType '" + declared.value() +
                                 "', which is not defined" + base::did_you_mean(declared.value(), known));
        return {};
    }
    if (found->second.base != variable.declared_type) {
        reader.remarks.deviation("type-mismatch", own,
                                 "variable '" + variable.name + "' is " + variable.declared_type +
                                     ", its declaredType '" + declared.value() + "' is " + found->second.base +
                                     "; the definition is ignored");
        return {};
    }
    if (variable.declared_type == "Enumeration") variable.enumeration = found->first;
    return found->second.attributes;
}

std::optional<base::Fraction> clock_time(DescriptionReader& reader, const Attributes& attributes,
                                         const core::Variable& variable, std::pair<const char*, const char*> names) {
    const auto [counter_name, decimal_name] = names;
    const pugi::xml_attribute counter = attributes.find(counter_name);
    const pugi::xml_attribute resolution = attributes.find("resolution");
    if (counter && resolution) {
        const std::optional<std::int64_t> ticks = base::number_from<std::int64_t>(counter.value());
        const std::optional<std::int64_t> per_second = base::number_from<std::int64_t>(resolution.value());
        if (ticks && *ticks >= 0 && per_second && *per_second > 0) {
            const std::int64_t divisor = std::gcd(*ticks, *per_second);
            return base::Fraction{*ticks / divisor, *per_second / divisor};
        }
        reader.remarks.error("bad-value", attributes.owner(counter_name),
                             "clock '" + variable.name + "' has " + counter_name + " '" + counter.value() +
                                 "' and resolution '" + resolution.value() + "'; expected whole numbers");
        return std::nullopt;
    }
    const pugi::xml_attribute decimal = attributes.find(decimal_name);
    if (!decimal) return std::nullopt;
    const std::optional<base::Fraction> seconds = base::simplest_fraction(base::trimmed(decimal.value()));
    if (seconds && seconds->numerator >= 0) return seconds;
    reader.remarks.error("bad-value", attributes.owner(decimal_name),
                         "clock '" + variable.name + "' has " + decimal_name + " '" + decimal.value() +
                             "'; expected a number of seconds");
    return std::nullopt;
}

void read_clock(DescriptionReader& reader, const Attributes& attributes, core::Variable& variable) {
    const pugi::xml_attribute kind = attributes.find("intervalVariability");
    if (!kind) {
        reader.remarks.error("clock-interval", attributes.own,
                             "clock '" + variable.name + "' has no intervalVariability");
        return;
    }
    variable.clock_kind = word(reader, attributes.own, kind, clock_kinds).value_or(core::ClockKind::none);
    variable.clock_interval = clock_time(reader, attributes, variable, {"intervalCounter", "intervalDecimal"});
    variable.clock_shift = clock_time(reader, attributes, variable, {"shiftCounter", "shiftDecimal"});
    variable.clock_fraction = reader.flag(attributes.owner("supportsFraction"), "supportsFraction");
    const bool must_be_known = variable.clock_kind == core::ClockKind::constant;
    if (must_be_known && !(variable.clock_interval && variable.clock_interval->numerator > 0)) {
        reader.remarks.error(
            "clock-interval", attributes.own,
            "clock '" + variable.name +
                "' is constant; expected a positive intervalDecimal, or intervalCounter and resolution");
    }
}

void read_real_attributes(DescriptionReader& reader, const Attributes& attributes, core::Variable& variable) {
    const auto number = [&](const char* name) { return reader.real(attributes.owner(name), name); };
    variable.minimum = number("min");
    variable.maximum = number("max");
    if (variable.type != core::Type::real) return;
    variable.nominal = number("nominal");
    if (variable.nominal && !(*variable.nominal > 0)) {
        reader.remarks.deviation("bad-value", attributes.owner("nominal"),
                                 "variable '" + variable.name + "' has the nominal value " +
                                     attributes.find("nominal").value() +
                                     "; expected a positive one, so it is ignored");
        variable.nominal.reset();
    }
    variable.unit = attributes.find("unit").value();
    variable.display_unit = attributes.find("displayUnit").value();
    variable.relative_quantity = reader.flag(attributes.owner("relativeQuantity"), "relativeQuantity");
}

void read_bytes_attributes(DescriptionReader& reader, const Attributes& attributes, core::Variable& variable) {
    variable.mime_type = attributes.find("mimeType").as_string("application/octet-stream");
    const pugi::xml_attribute maximum = attributes.find("maxSize");
    if (!maximum) return;
    const std::optional<std::size_t> size = base::number_from<std::size_t>(maximum.value());
    if (!size) {
        reader.remarks.error(
            "bad-value", attributes.owner("maxSize"),
            "variable '" + variable.name + "' has maxSize '" + maximum.value() + "'; expected a whole number");
    }
    variable.max_bytes = size.value_or(0);
}

std::uint32_t read_reference(DescriptionReader& reader, pugi::xml_node node, const core::Variable& variable) {
    const pugi::xml_attribute attribute = node.attribute("valueReference");
    const std::optional<std::uint32_t> reference = base::number_from<std::uint32_t>(attribute.value());
    if (!reference) {
        reader.remarks.error("bad-value", node,
                             "variable '" + variable.name + "' has the valueReference '" + attribute.value() +
                                 "'; expected a whole number from 0 to 4294967295");
    }
    return reference.value_or(0);
}

void read_children(DescriptionReader& reader, pugi::xml_node node, std::uint32_t index, Pending& pending) {
    for (const pugi::xml_node child : node.children()) {
        const std::string_view name = child.name();
        if (name == "Alias") reader.variables()[index].alias_names.emplace_back(child.attribute("name").value());
        if (name != "Dimension") continue;
        auto& dimensions = reader.result.dimensions[index];
        const pugi::xml_attribute size = child.attribute("start");
        const bool by_reference = child.attribute("valueReference");
        const std::optional<std::uint64_t> extent = base::number_from<std::uint64_t>(size.value());
        if (by_reference) pending.extents.push_back({index, dimensions.size(), child});
        if (by_reference == static_cast<bool>(size) || (size && !extent)) {
            reader.remarks.error("bad-value", child,
                                 "a dimension of '" + reader.variables()[index].name +
                                     "' is wrong; expected either start with a whole number or valueReference");
        }
        dimensions.push_back({extent.value_or(0), std::nullopt});
    }
}

/// `own` carries the type's attributes: a child of the variable's element in FMI 2, the element itself in FMI 3.
void read_variable(DescriptionReader& reader, pugi::xml_node node, pugi::xml_node own, const TypeName& type,
                   Pending& pending) {
    const auto index = static_cast<std::uint32_t>(reader.variables().size());
    core::Variable& variable = reader.variables().emplace_back();
    variable.name = node.attribute("name").value();
    if (variable.name.empty()) reader.remarks.error("bad-value", node, "a variable has no name");
    variable.description = node.attribute("description").value();
    variable.declared_type = type.name;
    variable.type = type.type;
    const pugi::xml_attribute causality = node.attribute("causality");
    variable.causality = word(reader, node, causality, causalities).value_or(core::Causality::local);
    reader.nodes.push_back(node);
    reader.result.natives.push_back(type.native);
    reader.result.references.push_back(read_reference(reader, node, variable));
    reader.result.dimensions.emplace_back();

    const Attributes attributes{own, inherited_attributes(reader, own, variable)};
    if (type.type == core::Type::real || type.type == core::Type::integer || type.type == core::Type::natural) {
        read_real_attributes(reader, attributes, variable);
    }
    if (type.type == core::Type::bytes) read_bytes_attributes(reader, attributes, variable);
    if (type.type == core::Type::clock) read_clock(reader, attributes, variable);
    variable.start = read_start(reader, own, variable, type.native);
    const Written written{.variability = word(reader, node, node.attribute("variability"), variabilities),
                          .initial = word(reader, node, node.attribute("initial"), initials)};

    reader.derivative_of.push_back(std::nullopt);
    if (const pugi::xml_attribute derivative = own.attribute("derivative")) {
        reader.derivative_of.back() = base::number_from<std::uint32_t>(derivative.value());
        if (!reader.derivative_of.back()) {
            reader.remarks.error("bad-value", own,
                                 "variable '" + variable.name + "' has the derivative '" + derivative.value() +
                                     "'; expected a whole number");
        }
    }
    if (reader.is_fmi3()) {
        variable.intermediate_update = reader.flag(node, "intermediateUpdate");
        if (node.attribute("clocks")) pending.clocked.push_back(index);
        if (node.first_child()) read_children(reader, node, index, pending);
    }
    apply_rules(reader, node, written, reader.variables()[index]);
}

void unknown_type(DescriptionReader& reader, pugi::xml_node node, std::string_view found) {
    std::vector<std::string> known;
    for (const TypeName& type : type_names(reader)) known.emplace_back(type.name);
    reader.remarks.error("unknown-name", node,
                         "variable '" + std::string(node.attribute("name").value()) + "' has " +
                             (found.empty() ? "no type" : "the unknown type '" + std::string(found) + "'") +
                             "; expected one of " + list(known) + base::did_you_mean(found, known));
}

/// The child that gives the type of an FMI 2 variable.
pugi::xml_node type_element(pugi::xml_node variable) {
    for (const pugi::xml_node child : variable.children()) {
        if (child.type() == pugi::node_element && std::string_view(child.name()) != "Annotations") return child;
    }
    return {};
}

void read_list(DescriptionReader& reader, pugi::xml_node list_node, Pending& pending) {
    for (const pugi::xml_node node : list_node.children()) {
        if (node.type() != pugi::node_element) continue;
        const pugi::xml_node own = reader.is_fmi3() ? node : type_element(node);
        const TypeName* type = find_type(reader, own.name());
        if (type == nullptr) unknown_type(reader, node, own.name());
        // A variable of unknown type keeps its place, so that references to the others stay right.
        read_variable(reader, node, own, type == nullptr ? type_names(reader).front() : *type, pending);
    }
}

void check_names(DescriptionReader& reader) {
    std::unordered_map<std::string_view, std::uint32_t> by_name;
    by_name.reserve(reader.variables().size());
    const auto enter = [&](const std::string& name, std::uint32_t index) {
        const auto [known, is_new] = by_name.emplace(name, index);
        if (is_new) return;
        reader.remarks.error(
            "duplicate-name", reader.nodes[index],
            "the name '" + name + "' is used twice; first at " + reader.text.where(reader.nodes[known->second]));
    };
    for (std::uint32_t i = 0; i < reader.variables().size(); ++i) {
        enter(reader.variables()[i].name, i);
        for (const std::string& alias : reader.variables()[i].alias_names) enter(alias, i);
    }
}

/// FMI 3: references are unique. FMI 2: equal ones of one C type are aliases of each other.
void check_references(DescriptionReader& reader) {
    std::unordered_map<std::uint64_t, std::uint32_t> known;
    known.reserve(reader.variables().size());
    for (std::uint32_t i = 0; i < reader.variables().size(); ++i) {
        const std::uint32_t reference = reader.result.references[i];
        const auto native = static_cast<std::uint64_t>(reader.result.natives[i]);
        const std::uint64_t key = reader.is_fmi3() ? reference : (native << 32U) | reference;
        const auto [first, is_new] = known.emplace(key, i);
        if (reader.is_fmi3() && is_new) reader.by_reference.emplace(reference, i);
        if (is_new) continue;
        if (!reader.is_fmi3()) {
            reader.variables()[i].alias_of = first->second;
            continue;
        }
        reader.remarks.error("duplicate-reference", reader.nodes[i],
                             "variable '" + reader.variables()[i].name + "' has the valueReference " +
                                 std::to_string(reference) + " of '" + reader.variables()[first->second].name +
                                 "'; in FMI 3 each must be unique");
    }
}

void resolve_clocks(DescriptionReader& reader, const Pending& pending) {
    for (const std::uint32_t index : pending.clocked) {
        core::Variable& variable = reader.variables()[index];
        std::string_view references = reader.nodes[index].attribute("clocks").value();
        for (std::string_view next = base::take_word(references); !next.empty(); next = base::take_word(references)) {
            const auto clock =
                reader.resolve(next, reader.nodes[index], "variable '" + variable.name + "' belongs to the clock");
            if (!clock) continue;
            if (reader.variables()[*clock].type != core::Type::clock) {
                reader.remarks.error("dangling-reference", reader.nodes[index],
                                     "variable '" + variable.name + "' names '" + reader.variables()[*clock].name +
                                         "' as its clock, which is " + reader.variables()[*clock].declared_type +
                                         "; expected Clock");
                continue;
            }
            variable.clocks.push_back(*clock);
        }
    }
}

void resolve_extents(DescriptionReader& reader, const Pending& pending) {
    for (const Pending::Extent& extent : pending.extents) {
        const std::string& name = reader.variables()[extent.variable].name;
        const auto found = reader.resolve(extent.node.attribute("valueReference").value(), extent.node,
                                          "a dimension of '" + name + "' refers to");
        if (!found) continue;
        const core::Variable& parameter = reader.variables()[*found];
        const bool whole = parameter.type == core::Type::natural || parameter.type == core::Type::integer;
        const bool known_early = parameter.causality == core::Causality::structural_parameter ||
                                 parameter.variability == core::Variability::constant;
        if (!whole || !known_early) {
            reader.remarks.error("bad-value", extent.node,
                                 "a dimension of '" + name + "' refers to '" + parameter.name +
                                     "'; expected a structural parameter or a constant of type UInt64");
            continue;
        }
        reader.result.dimensions[extent.variable][extent.dimension].parameter = *found;
    }
}

/// Arrays get their extents, and the start values are compared with them.
void check_sizes(DescriptionReader& reader) {
    std::vector<std::size_t> counts;
    for (const core::Variable& variable : reader.variables())
        counts.push_back(variable.start ? count_of(*variable.start) : 1);
    const std::optional<SizeProblem> problem = apply_sizes(reader.result, {});
    if (problem) {
        reader.remarks.error("array-size", reader.nodes[problem->variable],
                             "variable '" + reader.variables()[problem->variable].name + "' " + problem->text);
        return;
    }
    for (std::uint32_t i = 0; i < counts.size(); ++i) {
        const std::size_t size = reader.variables()[i].size;
        if (counts[i] == 1 || counts[i] == size) continue;
        const std::string message = "variable '" + reader.variables()[i].name + "' has " + std::to_string(counts[i]) +
                                    " start values; expected " + std::to_string(size);
        if (reader.result.dimensions[i].empty())
            reader.remarks.error("bad-value", reader.nodes[i], message);
        else
            reader.remarks.deviation("start-count", reader.nodes[i], message + " or 1, so they are ignored");
    }
}

void use_intermediate_update(ModelDescription& description) {
    if (!description.co_simulation || !description.co_simulation->provides_intermediate_update) return;
    const auto takes_slope = [](const core::Variable& variable) {
        return variable.intermediate_update && variable.causality == core::Causality::input;
    };
    description.co_simulation->can.interpolates_inputs = std::ranges::any_of(description.info.variables, takes_slope);
}

core::Enumeration read_enumeration(DescriptionReader& reader, const std::string& name, pugi::xml_node node) {
    core::Enumeration enumeration{.name = name, .items = {}};
    std::set<std::string> names;
    std::set<std::int64_t> numbers;
    for (const pugi::xml_node item : node.children("Item")) {
        const std::string text = item.attribute("value").value(), item_name = item.attribute("name").value();
        const std::optional<std::int64_t> value = base::number_from<std::int64_t>(text);
        if (!value) {
            reader.remarks.error(
                "bad-value", item,
                fmt::format("an item of enumeration '{}' has the value '{}'; expected a whole number", name, text));
            continue;
        }
        // Both are unique in FMI; a name that stands twice is two numbers, and the first one counts.
        if (!names.insert(item_name).second || !numbers.insert(*value).second) {
            reader.remarks.deviation(
                "enumeration-item", item,
                fmt::format("item '{}' = {} of enumeration '{}' has the name or the value of another", item_name, text,
                            name));
        }
        enumeration.items.emplace_back(item_name, *value);
    }
    return enumeration;
}

}  // namespace

void read_types(DescriptionReader& reader, pugi::xml_node root) {
    for (const pugi::xml_node node : root.child("TypeDefinitions").children()) {
        const std::string name = node.attribute("name").value();
        const pugi::xml_node attributes = reader.is_fmi3() ? node : type_element(node);
        std::string base = attributes.name();
        if (reader.is_fmi3() && base.ends_with("Type")) base.resize(base.size() - 4);
        if (find_type(reader, base) == nullptr) continue;
        if (base == "Enumeration")
            reader.result.info.enumerations.push_back(read_enumeration(reader, name, attributes));
        if (reader.types.emplace(name, TypeDefinition{std::move(base), attributes}).second) continue;
        reader.remarks.error("duplicate-name", node, "the type '" + name + "' is defined twice");
    }
}

void read_variables(DescriptionReader& reader, pugi::xml_node root) {
    const pugi::xml_node list_node = root.child("ModelVariables");
    if (!list_node) reader.remarks.deviation("no-variables", root, "has no ModelVariables");
    Pending pending;
    read_list(reader, list_node, pending);
    check_names(reader);
    check_references(reader);
    resolve_clocks(reader, pending);
    resolve_extents(reader, pending);
    check_sizes(reader);
    use_intermediate_update(reader.result);
}

}  // namespace master::fmi
