#include "master/base/xml/page.hpp"

#include "master/base/xml/spaces.hpp"
#include "master/base/xml/values.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace master::base {
namespace {

bool never_behaviour(std::string_view attribute) {
    static constexpr std::array<std::string_view, 8> silent{
        "id",      "description", "author",         "fileversion",
        "license", "copyright",   "generationTool", "generationDateAndTime"};
    if (attribute.starts_with("xmlns") || attribute.find(':') != std::string_view::npos) return true;
    return std::ranges::find(silent, attribute) != silent.end();
}

}  // namespace

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
        error("bad-value", node,
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
        error("bad-value", node,
              "attribute '" + std::string(attribute) + "' is '" + found.value() + "', expected true or false");
        return otherwise;
    }
    return *value;
}

}  // namespace master::base
