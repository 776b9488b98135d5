#pragma once

#include "interfaces/machine_file/document.hpp"

#include <vector>

namespace interfaces::machine_file {

/// One <link> with its mass and its collision shapes.
[[nodiscard]] models::kinematics::Link read_link(const Document& document, pugi::xml_node node);

}  // namespace interfaces::machine_file
