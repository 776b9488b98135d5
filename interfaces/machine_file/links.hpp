#pragma once

#include "interfaces/machine_file/document.hpp"
#include "interfaces/machine_file/machine.hpp"

namespace interfaces::machine_file {

/// One <link> with its mass and its collision shapes.
[[nodiscard]] Link read_link(const Document& document, pugi::xml_node node);

}  // namespace interfaces::machine_file
