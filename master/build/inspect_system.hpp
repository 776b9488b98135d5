#pragma once

#include "master/build/parts.hpp"

#include <string>

namespace master::build {

/// What `tandem inspect SYSTEM` prints: components with what they exchange, connections, and what is free.
[[nodiscard]] std::string inspect_text(const Parts& parts);

/// The same as one JSON document.
[[nodiscard]] std::string inspect_json(const Parts& parts);

}  // namespace master::build
