#include "master/base/xml/spaces.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace master::base {
namespace {

struct NamedSpace {
    std::string_view address;
    Space space;
};

constexpr std::array<NamedSpace, 9> known_spaces{{
    {"http://ssp-standard.org/SSP1/SystemStructureDescription", Space::description},
    {"http://ssp-standard.org/SSP1/SystemStructureCommon", Space::common},
    {"http://ssp-standard.org/SSP1/SystemStructureParameterValues", Space::values},
    {"http://ssp-standard.org/SSP1/SystemStructureParameterMapping", Space::mapping},
    {"http://ssp-standard.org/SSP1/SystemStructureSignalDictionary", Space::dictionary},
    {"urn:tandem:cosim:1", Space::ours},
    {"urn:tandem:scenario:1", Space::scenario},
    {"urn:tandem:report:1", Space::report},
    {"urn:tandem:view:1", Space::view},
}};

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

}  // namespace master::base
