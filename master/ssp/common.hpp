#pragma once

#include "master/base/xml/page.hpp"
#include "master/ssp/description.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace master::ssp {

/// Units and enumerations that a file defines. A parameter set looks into its own first, then into its system's.
struct Definitions {
    std::vector<core::PhysicalUnit> units;
    std::vector<core::Enumeration> enumerations;

    /// The unit of that name; without a definition only the name is known and an FMU may know more.
    [[nodiscard]] core::PhysicalUnit unit(const std::string& name) const;
    [[nodiscard]] std::optional<core::Enumeration> enumeration(const std::string& name) const;
};

/// Reads `Units` and `Enumerations` among the children of a root element, whose children have namespace `space`.
[[nodiscard]] Definitions read_definitions(pugi::xml_node root, base::Space space, base::Page& page);

/// True for the namespaces of SSP.
[[nodiscard]] bool is_standard(base::Space space);

/// The first transformation among the children, or none.
[[nodiscard]] Transformation read_transformation(pugi::xml_node parent, base::Page& page);
[[nodiscard]] bool is_transformation(pugi::xml_node node);

/// Real, Float64, ..., Clock: the element that states a type, in whichever SSP namespace a tool put it.
[[nodiscard]] bool is_type(pugi::xml_node node);

/// Type, unit, enumeration and dimensions of a connector or dictionary entry.
void read_type(pugi::xml_node parent, const Definitions& definitions, base::Page& page, Connector& connector);

[[nodiscard]] std::optional<Kind> kind_from(std::string_view text);
[[nodiscard]] std::string_view to_string(Kind kind);

/// A list of indices counted from 1; reports what is none.
[[nodiscard]] std::vector<std::uint64_t> read_indices(pugi::xml_node node, const char* attribute, base::Page& page);

}  // namespace master::ssp
