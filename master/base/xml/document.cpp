#include "master/base/xml/document.hpp"

#include "master/base/error.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <utility>

namespace master::base {
namespace {

struct NamedSpace {
    std::string_view address;
    Space space;
};

constexpr std::array<NamedSpace, 8> known_spaces{{
    {"http://ssp-standard.org/SSP1/SystemStructureDescription", Space::description},
    {"http://ssp-standard.org/SSP1/SystemStructureCommon", Space::common},
    {"http://ssp-standard.org/SSP1/SystemStructureParameterValues", Space::values},
    {"http://ssp-standard.org/SSP1/SystemStructureParameterMapping", Space::mapping},
    {"http://ssp-standard.org/SSP1/SystemStructureSignalDictionary", Space::dictionary},
    {"urn:tandem:cosim:1", Space::ours},
    {"urn:tandem:scenario:1", Space::scenario},
    {"urn:tandem:report:1", Space::report},
}};

std::string_view prefix_of(pugi::xml_node node) {
    const std::string_view name = node.name();
    const auto colon = name.find(':');
    return colon == std::string_view::npos ? std::string_view{} : name.substr(0, colon);
}

std::string_view address_of(pugi::xml_node node) {
    const std::string_view prefix = prefix_of(node);
    for (pugi::xml_node scope = node; scope; scope = scope.parent()) {
        for (const pugi::xml_attribute attribute : scope.attributes()) {
            std::string_view name = attribute.name();
            if (!name.starts_with("xmlns")) continue;
            name.remove_prefix(5);
            if (prefix.empty() ? name.empty() : (name.starts_with(':') && name.substr(1) == prefix))
                return attribute.value();
        }
    }
    return {};
}

std::string_view address_of(Space space) {
    const auto found = std::ranges::find(known_spaces, space, &NamedSpace::space);
    return found == known_spaces.end() ? std::string_view{} : found->address;
}

std::string read_text(const std::filesystem::path& file, const std::string& shown) {
    std::error_code code;
    if (!std::filesystem::is_regular_file(file, code)) throw Error("missing-file", shown, "no such file");
    std::ifstream stream(file, std::ios::binary);
    if (!stream) throw Error("missing-file", shown, std::string("cannot be opened: ") + std::strerror(errno));
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

bool never_behaviour(std::string_view attribute) {
    static constexpr std::array<std::string_view, 8> silent{
        "id",      "description", "author",         "fileversion",
        "license", "copyright",   "generationTool", "generationDateAndTime"};
    if (attribute.starts_with("xmlns") || attribute.find(':') != std::string_view::npos) return true;
    return std::ranges::find(silent, attribute) != silent.end();
}

template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
    text = trimmed(text);
    if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
    Number number{};
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

/// The prefixes that the standard uses; some tools write them without declaring them.
std::string_view customary_address(std::string_view prefix) {
    static constexpr std::array<std::pair<std::string_view, Space>, 5> customary{{{"ssd", Space::description},
                                                                                  {"ssc", Space::common},
                                                                                  {"ssv", Space::values},
                                                                                  {"ssm", Space::mapping},
                                                                                  {"ssb", Space::dictionary}}};
    for (const auto& [name, space] : customary)
        if (name == prefix) return address_of(space);
    return {};
}

}  // namespace

Space space_of(pugi::xml_node node) {
    std::string_view address = address_of(node);
    if (address.empty()) address = customary_address(prefix_of(node));
    const auto found = std::ranges::find(known_spaces, address, &NamedSpace::address);
    return found == known_spaces.end() ? Space::other : found->space;
}

std::string_view local_name(pugi::xml_node node) {
    const std::string_view name = node.name();
    const auto colon = name.find(':');
    return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

bool is(pugi::xml_node node, Space space, std::string_view name) {
    return node.type() == pugi::node_element && local_name(node) == name && space_of(node) == space;
}

pugi::xml_node child(pugi::xml_node parent, Space space, std::string_view name) {
    for (const pugi::xml_node node : parent.children())
        if (is(node, space, name)) return node;
    return {};
}

std::vector<pugi::xml_node> children(pugi::xml_node parent, Space space, std::string_view name) {
    std::vector<pugi::xml_node> found;
    for (const pugi::xml_node node : parent.children())
        if (is(node, space, name)) found.push_back(node);
    return found;
}

Document::Document(const std::filesystem::path& file, std::string shown) : shown_(std::move(shown)) {
    parse(read_text(file, shown_));
}

Document Document::from_text(const std::string& text, std::string shown) {
    Document document(std::move(shown));
    document.parse(text);
    return document;
}

void Document::parse(const std::string& text) {
    lines_ = interfaces::text::Lines(text);
    const pugi::xml_parse_result result = document_.load_buffer(text.data(), text.size());
    if (!result)
        throw Error("malformed-xml", shown_ + ":" + std::to_string(lines_.line_of(result.offset)),
                    std::string("not well-formed XML: ") + result.description());
    if (!root()) throw Error("malformed-xml", shown_ + ":1", "not well-formed XML: no root element");
}

std::string Document::where(pugi::xml_node node) const {
    return shown_ + ":" + std::to_string(lines_.line_of(node.offset_debug()));
}

void Document::expect_root(Space space, std::string_view name) const {
    if (is(root(), space, name)) return;
    throw Error("wrong-root", where(root()),
                "the root element is '" + std::string(root().name()) + "' of namespace '" +
                    std::string(address_of(root())) + "', expected '" + std::string(name) + "' of namespace '" +
                    std::string(address_of(space)) + "'");
}

std::optional<double> parse_double(std::string_view text) {
    text = trimmed(text);
    if (text == "INF") return std::numeric_limits<double>::infinity();
    if (text == "-INF") return -std::numeric_limits<double>::infinity();
    if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
    // from_chars also takes "inf" and "nan" in any spelling, which are no numbers in XML.
    if (std::ranges::any_of(
            text, [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 && c != 'e' && c != 'E'; }))
        return std::nullopt;
    return parse_number<double>(text);
}

std::optional<std::int64_t> parse_integer(std::string_view text) { return parse_number<std::int64_t>(text); }
std::optional<std::uint64_t> parse_natural(std::string_view text) { return parse_number<std::uint64_t>(text); }

std::optional<bool> parse_boolean(std::string_view text) {
    text = trimmed(text);
    if (text == "true" || text == "1") return true;
    if (text == "false" || text == "0") return false;
    return std::nullopt;
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n";
    const auto first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> words(std::string_view text) {
    std::vector<std::string_view> found;
    for (text = trimmed(text); !text.empty();) {
        const auto end = std::min(text.find_first_of(" \t\r\n"), text.size());
        found.push_back(text.substr(0, end));
        text = trimmed(text.substr(end));
    }
    return found;
}

Page::Page(const Document& document, Diagnostics& diagnostics) : document_(document), diagnostics_(diagnostics) {
    const pugi::xml_node first = document.root();
    if (address_of(first).empty() && !prefix_of(first).empty())
        ignored(first, "prefix",
                "prefix '" + std::string(prefix_of(first)) + "' is not declared; it is taken as the standard uses it");
}

void Page::error(std::string code, pugi::xml_node node, std::string text) const {
    diagnostics_.error(std::move(code), where(node), std::move(text));
}

void Page::note(std::string code, pugi::xml_node node, std::string text) const {
    diagnostics_.note(std::move(code), where(node), std::move(text));
}

void Page::ignored(pugi::xml_node node, const std::string& what, const std::string& text) {
    if (reported_.insert(what).second) diagnostics_.ignored("ignored", where(node), text);
}

void Page::check_attributes(pugi::xml_node node, std::initializer_list<std::string_view> known) {
    for (const pugi::xml_attribute attribute : node.attributes()) {
        const std::string_view name = attribute.name();
        if (never_behaviour(name) || std::ranges::find(known, name) != known.end()) continue;
        const std::string what = std::string(local_name(node)) + "@" + std::string(name);
        ignored(node, what,
                "attribute '" + std::string(name) + "' of '" + std::string(local_name(node)) + "' is not honoured");
    }
}

void Page::unknown_child(pugi::xml_node node) {
    static constexpr std::array<std::string_view, 8> silent{
        "ElementGeometry",   "ConnectorGeometry", "ConnectionGeometry", "SystemGeometry",
        "GraphicalElements", "MetaData",          "Annotations",        "Annotation"};
    if (node.type() != pugi::node_element) return;
    const std::string name(local_name(node));
    // Annotations of a system description have readers of their own, which report what they leave.
    const bool annotations = name == "Annotations" && space_of(node) != Space::description;
    if (space_of(node) != Space::other && !annotations && std::ranges::find(silent, name) != silent.end()) return;
    const std::string parent(local_name(node.parent()));
    ignored(node, parent + "/" + node.name(),
            "element '" + std::string(node.name()) + "' in '" + parent + "' is not honoured");
}

std::string Page::required(pugi::xml_node node, const char* attribute) const {
    const pugi::xml_attribute found = node.attribute(attribute);
    if (!found)
        error("missing-attribute", node,
              "'" + std::string(local_name(node)) + "' has no attribute '" + attribute + "', which is required");
    return found.value();
}

double Page::number(pugi::xml_node node, const char* attribute, double otherwise) const {
    const pugi::xml_attribute found = node.attribute(attribute);
    if (!found) return otherwise;
    const std::optional<double> value = parse_double(found.value());
    if (!value) {
        error("bad-number", node,
              "attribute '" + std::string(attribute) + "' is '" + found.value() + "', expected a number");
        return otherwise;
    }
    return *value;
}

bool Page::flag(pugi::xml_node node, const char* attribute, bool otherwise) const {
    const pugi::xml_attribute found = node.attribute(attribute);
    if (!found) return otherwise;
    const std::optional<bool> value = parse_boolean(found.value());
    if (!value) {
        error("bad-boolean", node,
              "attribute '" + std::string(attribute) + "' is '" + found.value() + "', expected true or false");
        return otherwise;
    }
    return *value;
}

}  // namespace master::base
