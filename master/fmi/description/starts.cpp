#include "master/base/xml/values.hpp"
#include "master/fmi/description/reader.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>

namespace master::fmi {
namespace {

template <typename Element>
struct Range {
    Element lowest, highest;
};

template <typename Narrow, typename Element>
constexpr Range<Element> range_of() {
    return {std::numeric_limits<Narrow>::min(), std::numeric_limits<Narrow>::max()};
}

Range<std::int64_t> integer_range(Native native) {
    switch (native) {
        case Native::int8:
            return range_of<std::int8_t, std::int64_t>();
        case Native::int16:
            return range_of<std::int16_t, std::int64_t>();
        case Native::int32:
            return range_of<std::int32_t, std::int64_t>();
        default:
            return range_of<std::int64_t, std::int64_t>();
    }
}

Range<std::uint64_t> natural_range(Native native) {
    switch (native) {
        case Native::uint8:
            return range_of<std::uint8_t, std::uint64_t>();
        case Native::uint16:
            return range_of<std::uint16_t, std::uint64_t>();
        case Native::uint32:
            return range_of<std::uint32_t, std::uint64_t>();
        default:
            return range_of<std::uint64_t, std::uint64_t>();
    }
}

template <typename Element>
std::optional<Element> in_range(std::string_view word, Range<Element> range) {
    const std::optional<Element> value = base::number_from<Element>(word);
    if (!value || *value < range.lowest || *value > range.highest) return std::nullopt;
    return value;
}

void wrong_start(DescriptionReader& reader, pugi::xml_node node, const core::Variable& variable,
                 std::string_view found) {
    const std::string message = "variable '" + variable.name + "' has the start value '" + std::string(found) +
                                "'; expected a value of type " + variable.declared_type;
    // rumoca writes the list of a whole array to each of its elements; the unit itself has the right values.
    if (found.starts_with('[')) {
        reader.remarks.deviation("bad-value", node, message + "; the unit keeps its own");
    } else {
        reader.remarks.error("bad-value", node, message);
    }
}

/// Reads a list separated by blanks; one error for the first word that is no value.
template <typename Element, typename Convert>
std::optional<core::Value> read_list(DescriptionReader& reader, pugi::xml_node node, const core::Variable& variable,
                                     Convert convert) {
    std::string_view words = node.attribute("start").value();
    std::vector<Element> elements;
    for (std::string_view next = base::take_word(words); !next.empty(); next = base::take_word(words)) {
        const auto element = convert(next);
        if (!element) {
            wrong_start(reader, node, variable, next);
            return std::nullopt;
        }
        elements.push_back(static_cast<Element>(*element));
    }
    return core::Value(std::move(elements));
}

std::optional<core::Value> read_strings(DescriptionReader& reader, pugi::xml_node node) {
    if (!reader.is_fmi3()) return core::Value(std::vector<std::string>{node.attribute("start").value()});
    std::vector<std::string> strings;
    for (const pugi::xml_node start : node.children("Start")) strings.emplace_back(start.attribute("value").value());
    return core::Value(std::move(strings));
}

std::optional<core::Value> read_bytes(DescriptionReader& reader, pugi::xml_node node, const core::Variable& variable) {
    std::vector<core::ByteString> values;
    for (const pugi::xml_node start : node.children("Start")) {
        const char* text = start.attribute("value").value();
        std::optional<core::ByteString> bytes = base::bytes_from_hexadecimal(text);
        if (!bytes) {
            wrong_start(reader, start, variable, text);
            return std::nullopt;
        }
        values.push_back(std::move(*bytes));
    }
    return core::Value(std::move(values));
}

bool has_start(const DescriptionReader& reader, pugi::xml_node node, const core::Variable& variable) {
    const bool as_elements =
        reader.is_fmi3() && (variable.type == core::Type::string || variable.type == core::Type::bytes);
    return as_elements ? static_cast<bool>(node.child("Start")) : static_cast<bool>(node.attribute("start"));
}

}  // namespace

std::optional<core::Value> read_start(DescriptionReader& reader, pugi::xml_node node, const core::Variable& variable,
                                      Native native) {
    if (!has_start(reader, node, variable)) return std::nullopt;
    switch (variable.type) {
        case core::Type::real:
            return read_list<double>(reader, node, variable, base::number_from<double>);
        case core::Type::integer:
            return read_list<std::int64_t>(
                reader, node, variable,
                [range = integer_range(native)](std::string_view word) { return in_range(word, range); });
        case core::Type::natural:
            return read_list<std::uint64_t>(
                reader, node, variable,
                [range = natural_range(native)](std::string_view word) { return in_range(word, range); });
        case core::Type::boolean:
            return read_list<std::uint8_t>(reader, node, variable, base::parse_boolean);
        case core::Type::string:
            return read_strings(reader, node);
        case core::Type::bytes:
            return read_bytes(reader, node, variable);
        case core::Type::clock:
            return std::nullopt;
    }
    return std::nullopt;
}

}  // namespace master::fmi
