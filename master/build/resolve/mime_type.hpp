#pragma once

#include <string>

namespace master::build {

/// The same kind of content, of the same release: layered standards say their version in the type.
[[nodiscard]] bool same_release(const std::string& a, const std::string& b);

}  // namespace master::build
