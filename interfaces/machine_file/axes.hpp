#pragma once

#include "interfaces/machine_file/document.hpp"

namespace interfaces::machine_file {

/// The cylinders, four-bars and direct drives of a machine whose joints are known; checks that every moving joint has
/// exactly one and that each linkage closes over its stroke.
void read_axes(const Document& document, models::kinematics::Machine& machine);

/// The axis that an attribute names; fails with the closest name if there is none.
[[nodiscard]] std::uint32_t axis_named(const Document& document, pugi::xml_node node, const char* attribute,
                                       const models::kinematics::Machine& machine);

}  // namespace interfaces::machine_file
