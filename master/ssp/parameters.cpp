#include "master/ssp/parameters.hpp"

#include "master/base/error.hpp"
#include "master/base/xml/values.hpp"
#include "master/ssp/annotations.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <set>

namespace master::ssp {
namespace {

struct IntegerRange {
    std::string_view type;
    std::int64_t lowest;
    std::int64_t highest;
};

template <typename T>
constexpr IntegerRange range_of(std::string_view type) {
    return {type, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
}

constexpr std::array<IntegerRange, 8> integer_ranges{
    range_of<std::int32_t>("Integer"), range_of<std::int8_t>("Int8"),    range_of<std::int16_t>("Int16"),
    range_of<std::int32_t>("Int32"),   range_of<std::int64_t>("Int64"),  range_of<std::uint8_t>("UInt8"),
    range_of<std::uint16_t>("UInt16"), range_of<std::uint32_t>("UInt32")};

/// Every word of a list through `parse`; nothing, with an error, when one word is not of the type.
template <typename T>
std::optional<std::vector<T>> read_list(pugi::xml_node node, const base::Page& page,
                                        const std::function<std::optional<T>(std::string_view)>& parse) {
    std::vector<T> values;
    for (const std::string_view word : base::words(node.attribute("value").value())) {
        const std::optional<T> value = parse(word);
        if (!value) {
            page.error("bad-value", node,
                       "value '" + std::string(word) + "' is no " + std::string(base::local_name(node)));
            return std::nullopt;
        }
        values.push_back(*value);
    }
    return values;
}

/// String, Enumeration and Binary: one attribute, or one child `Value` per element.
std::vector<std::string> read_texts(pugi::xml_node node) {
    std::vector<std::string> texts;
    for (const pugi::xml_node value : base::children(node, base::Space::values, "Value"))
        texts.emplace_back(value.attribute("value").value());
    if (texts.empty()) texts.emplace_back(node.attribute("value").value());
    return texts;
}

std::optional<core::ByteString> parse_hexadecimal(std::string_view text) {
    text = base::trimmed(text);
    if (text.size() % 2 != 0) return std::nullopt;
    core::ByteString bytes;
    for (std::size_t i = 0; i < text.size(); i += 2) {
        unsigned value = 0;
        for (const char c : text.substr(i, 2)) {
            if (std::isxdigit(static_cast<unsigned char>(c)) == 0) return std::nullopt;
            const unsigned digit =
                c <= '9' ? static_cast<unsigned>(c - '0') : (static_cast<unsigned>(c) | 0x20U) - 'a' + 10U;
            value = value * 16 + digit;
        }
        bytes.push_back(static_cast<std::uint8_t>(value));
    }
    return bytes;
}

std::optional<core::Value> read_binary(pugi::xml_node node, const base::Page& page) {
    std::vector<core::ByteString> values;
    for (const std::string& text : read_texts(node)) {
        std::optional<core::ByteString> bytes = parse_hexadecimal(text);
        if (!bytes) {
            page.error("bad-value", node, "a Binary value must be pairs of hexadecimal digits");
            return std::nullopt;
        }
        values.push_back(std::move(*bytes));
    }
    return values;
}

template <typename T>
std::optional<core::Value> as_value(std::optional<std::vector<T>> list) {
    if (!list) return std::nullopt;
    return core::Value(std::move(*list));
}

std::optional<core::Value> read_value(pugi::xml_node node, const base::Page& page) {
    const std::string_view type = base::local_name(node);
    if (type == "String" || type == "Enumeration") return core::Value(read_texts(node));
    if (type == "Binary") return read_binary(node, page);
    if (!node.attribute("value")) {
        page.error("missing-attribute", node,
                   "'" + std::string(type) + "' has no attribute 'value', which is required");
        return std::nullopt;
    }
    if (type == "Boolean")
        return as_value(read_list<std::uint8_t>(node, page, [](std::string_view word) -> std::optional<std::uint8_t> {
            const std::optional<bool> flag = base::parse_boolean(word);
            if (!flag) return std::nullopt;
            return *flag ? 1 : 0;
        }));
    if (type == "UInt64") return as_value(read_list<std::uint64_t>(node, page, base::parse_natural));
    const auto range = std::ranges::find(integer_ranges, type, &IntegerRange::type);
    if (range == integer_ranges.end()) return as_value(read_list<double>(node, page, base::parse_double));
    return as_value(read_list<std::int64_t>(node, page, [range](std::string_view word) {
        const std::optional<std::int64_t> value = base::parse_integer(word);
        return value && *value >= range->lowest && *value <= range->highest ? value : std::nullopt;
    }));
}

std::size_t size_of(const core::Value& value) {
    return std::visit([](const auto& list) { return list.size(); }, value);
}

void check_dimensions(pugi::xml_node node, const Parameter& parameter, const base::Page& page) {
    std::uint64_t product = 1;
    bool stated = false;
    for (const pugi::xml_node dimension : node.children()) {
        if (base::local_name(dimension) != "Dimension") continue;
        const std::optional<std::uint64_t> size = base::parse_natural(dimension.attribute("size").value());
        if (!size) return;
        stated = true;
        if (*size > std::numeric_limits<std::uint32_t>::max())
            return page.error("bad-value", dimension, "the dimension is too large");
        product *= *size;
    }
    if (stated && product != size_of(parameter.value))
        page.error("array-size", node,
                   "parameter '" + parameter.name + "' has " + std::to_string(size_of(parameter.value)) +
                       " values, its dimensions say " + std::to_string(product));
}

std::optional<Parameter> read_parameter(pugi::xml_node node, const Definitions& own, const Definitions& outer,
                                        base::Page& page) {
    Parameter parameter{.name = page.required(node, "name"),
                        .type = {},
                        .value = {},
                        .unit = {},
                        .hops = {},
                        .indices = {},
                        .where = page.where(node)};
    page.check_attributes(node, {"name"});
    for (const pugi::xml_node type : node.children()) {
        if (!is_type(type)) {
            if (base::local_name(type) != "Dimension") page.unknown_child(type);
            continue;
        }
        std::optional<core::Value> value = read_value(type, page);
        if (!value) return std::nullopt;
        parameter.type = base::local_name(type);
        parameter.value = std::move(*value);
        if (const std::string unit = type.attribute("unit").value(); !unit.empty()) {
            parameter.unit = own.unit(unit);
            if (!parameter.unit->exponents) parameter.unit = outer.unit(unit);
        }
    }
    if (parameter.type.empty()) {
        page.error("missing-attribute", node,
                   "parameter '" + parameter.name + "' has no value element such as Real or Integer");
        return std::nullopt;
    }
    check_dimensions(node, parameter, page);
    parameter.hops.push_back({.transformation = {}, .unit = {}, .where = parameter.where});
    return parameter;
}

std::vector<Parameter> read_parameter_set(pugi::xml_node set, const Definitions& outer, base::Page& page) {
    page.check_attributes(set, {"version", "name"});
    const Definitions own = read_definitions(set, base::Space::values, page);
    std::vector<Parameter> parameters;
    std::set<std::string> names;
    for (const pugi::xml_node part : set.children()) {
        if (base::is(part, base::Space::values, "Units") || base::is(part, base::Space::values, "Enumerations"))
            continue;
        if (!base::is(part, base::Space::values, "Parameters")) {
            page.unknown_child(part);
            continue;
        }
        for (const pugi::xml_node node : part.children()) {
            if (!base::is(node, base::Space::values, "Parameter")) {
                page.unknown_child(node);
                continue;
            }
            std::optional<Parameter> parameter = read_parameter(node, own, outer, page);
            if (!parameter) continue;
            if (!names.insert(parameter->name).second)
                page.note("duplicate-name", node,
                          "parameter '" + parameter->name + "' is given twice in one set; the later value counts");
            parameters.push_back(std::move(*parameter));
        }
    }
    return parameters;
}

struct MappingEntry {
    std::string source, target;
    Hop hop;
};

std::vector<MappingEntry> read_mapping(pugi::xml_node mapping, base::Page& page) {
    page.check_attributes(mapping, {"version"});
    std::vector<MappingEntry> entries;
    for (const pugi::xml_node node : mapping.children()) {
        if (!base::is(node, base::Space::mapping, "MappingEntry")) {
            page.unknown_child(node);
            continue;
        }
        page.check_attributes(node, {"source", "target", "suppressUnitConversion"});
        for (const pugi::xml_node inner : node.children())
            if (!is_transformation(inner)) page.unknown_child(inner);
        entries.push_back({.source = page.required(node, "source"),
                           .target = page.required(node, "target"),
                           .hop = {.transformation = read_transformation(node, page),
                                   .unit = {},
                                   .suppress_unit_conversion = page.flag(node, "suppressUnitConversion", false),
                                   .where = page.where(node)}});
    }
    return entries;
}

std::vector<Parameter> mapped(const std::vector<Parameter>& parameters, const std::vector<MappingEntry>& entries,
                              base::Diagnostics& diagnostics) {
    constexpr std::size_t told = 3;  // tools write an entry for every parameter of a unit, mapped or not
    std::size_t unmatched = 0;
    std::vector<Parameter> result;
    for (const MappingEntry& entry : entries) {
        bool found = false;
        for (const Parameter& parameter : parameters) {
            if (parameter.name != entry.source) continue;
            found = true;
            Parameter copy = parameter;
            copy.name = entry.target;
            copy.hops = {entry.hop};
            copy.mapped = true;
            result.push_back(std::move(copy));
        }
        if (found || ++unmatched > told) continue;
        std::vector<std::string> names;
        names.reserve(parameters.size());
        for (const Parameter& parameter : parameters) names.push_back(parameter.name);
        diagnostics.note("unmatched-parameter", entry.hop.where,
                         "no parameter '" + entry.source + "' to map" + base::did_you_mean(entry.source, names));
    }
    if (unmatched > told)
        diagnostics.note("unmatched-parameter", entries.front().hop.where,
                         std::to_string(unmatched - told) + " more entries of this mapping have no parameter");
    return result;
}

/// The file of a `source` attribute: beside the system, or inside the component when sourceBase says so.
class SourceFile {
public:
    SourceFile(pugi::xml_node node, const BindingContext& context, const base::Page& page) {
        const std::string source = node.attribute("source").value();
        const std::string base = node.attribute("sourceBase").as_string("SSD");
        if (base == "SSD") {
            located_ = locate(source, context.place, page.where(node));
            context.files.push_back(located_);
            return;
        }
        if (base != "component")
            throw base::Error("bad-value", page.where(node), "sourceBase is '" + base + "', expected SSD or component");
        if (context.component.empty())
            throw base::Error("bad-value", page.where(node),
                              "sourceBase=\"component\" needs a component that has a source");
        const bool archive = context.component.extension() == ".fmu" || context.component.extension() == ".ssp";
        if (archive) archive_.emplace(context.component);
        const std::filesystem::path folder = archive ? archive_->folder() : context.component.parent_path();
        located_ =
            locate(source, {.folder = folder, .shown = context.component.filename().string(), .confined_to = folder},
                   page.where(node));
    }
    [[nodiscard]] const Located& located() const { return located_; }

private:
    std::optional<base::Archive> archive_;
    Located located_;
};

std::vector<Parameter> values_of(pugi::xml_node binding, const BindingContext& context, base::Page& page) {
    if (binding.attribute("source")) {
        const SourceFile source(binding, context, page);
        const base::Document document(source.located().file, source.located().shown);
        document.expect_root(base::Space::values, "ParameterSet");
        base::Page set_page(document, page.diagnostics());
        return read_parameter_set(document.root(), context.definitions, set_page);
    }
    const pugi::xml_node values = base::child(binding, base::Space::description, "ParameterValues");
    const pugi::xml_node set = base::child(values, base::Space::values, "ParameterSet");
    for (const pugi::xml_node node : values.children())
        if (node != set) page.unknown_child(node);
    if (!set) return {};
    return read_parameter_set(set, context.definitions, page);
}

std::optional<std::vector<MappingEntry>> mapping_of(pugi::xml_node binding, const BindingContext& context,
                                                    base::Page& page) {
    const pugi::xml_node node = base::child(binding, base::Space::description, "ParameterMapping");
    if (!node) return std::nullopt;
    page.check_attributes(node, {"source", "sourceBase", "type"});
    if (node.attribute("source")) {
        const SourceFile source(node, context, page);
        const base::Document document(source.located().file, source.located().shown);
        document.expect_root(base::Space::mapping, "ParameterMapping");
        base::Page mapping_page(document, page.diagnostics());
        return read_mapping(document.root(), mapping_page);
    }
    return read_mapping(base::child(node, base::Space::mapping, "ParameterMapping"), page);
}

std::vector<Parameter> read_binding(pugi::xml_node binding, const BindingContext& context, base::Page& page) {
    page.check_attributes(binding, {"type", "source", "sourceBase", "prefix"});
    report_annotations(binding, page);
    for (const pugi::xml_node node : binding.children())
        if (!base::is(node, base::Space::description, "ParameterValues") &&
            !base::is(node, base::Space::description, "ParameterMapping"))
            page.unknown_child(node);
    const std::string type = binding.attribute("type").as_string("application/x-ssp-parameter-set");
    if (type != "application/x-ssp-parameter-set") {
        page.ignored(binding, "binding " + type, "parameter bindings of type '" + type + "' are not honoured");
        return {};
    }
    std::vector<Parameter> parameters = values_of(binding, context, page);
    const std::string prefix = binding.attribute("prefix").value();
    for (Parameter& parameter : parameters) parameter.name.insert(0, prefix);
    if (const auto mapping = mapping_of(binding, context, page))
        return mapped(parameters, *mapping, page.diagnostics());
    return parameters;
}

}  // namespace

std::vector<Parameter> read_bindings(pugi::xml_node element, const BindingContext& context, base::Page& page) {
    std::vector<Parameter> all;
    for (const pugi::xml_node list : base::children(element, base::Space::description, "ParameterBindings")) {
        for (const pugi::xml_node binding : list.children()) {
            if (!base::is(binding, base::Space::description, "ParameterBinding")) {
                page.unknown_child(binding);
                continue;
            }
            try {
                std::vector<Parameter> bound = read_binding(binding, context, page);
                std::ranges::move(bound, std::back_inserter(all));
            } catch (const base::Error& error) {
                page.diagnostics().error(error.code(), error.where(), error.what());
            }
        }
    }
    return all;
}

}  // namespace master::ssp
