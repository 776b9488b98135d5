#pragma once

#include <cstdint>
#include <pugixml.hpp>
#include <string_view>
#include <vector>

namespace master::base {

/// The namespaces that mean something here. Prefixes are free, so elements are told apart by these alone.
enum class Space : std::uint8_t {
    description,
    common,
    values,
    mapping,
    dictionary,
    ours,
    scenario,
    report,
    view,
    other
};

[[nodiscard]] Space space_of(pugi::xml_node node);
/// The address that stands for a namespace, and the one that an element's prefix means (empty where undeclared).
[[nodiscard]] std::string_view address_of(Space space);
[[nodiscard]] std::string_view address_of(pugi::xml_node node);
[[nodiscard]] std::string_view prefix_of(pugi::xml_node node);
[[nodiscard]] std::string_view local_name(pugi::xml_node node);
[[nodiscard]] bool is(pugi::xml_node node, Space space, std::string_view name);
[[nodiscard]] pugi::xml_node child(pugi::xml_node parent, Space space, std::string_view name);
[[nodiscard]] std::vector<pugi::xml_node> children(pugi::xml_node parent, Space space, std::string_view name);

}  // namespace master::base
