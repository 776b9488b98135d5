#pragma once

#include <cstdlib>

namespace tests {

/// True when variants of a case that take long are wanted as well: ./test --full sets the variable.
[[nodiscard]] inline bool long_cases() { return std::getenv("TANDEM_LONG") != nullptr; }

}  // namespace tests
