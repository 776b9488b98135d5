#pragma once

#include "interfaces/machine_file/document.hpp"
#include "interfaces/machine_file/machine.hpp"

namespace interfaces::machine_file {

/// The cylinders, four-bars and direct drives of a machine whose joints are known; checks that every moving joint has
/// exactly one.
void read_axes(const Document& document, Machine& machine);

/// The axis that an attribute names; fails with the closest name if there is none.
[[nodiscard]] std::uint32_t axis_named(const Document& document, pugi::xml_node node, const char* attribute,
                                       const Machine& machine);

}  // namespace interfaces::machine_file
