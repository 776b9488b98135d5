#pragma once

#include "master/contracts/finding.hpp"

#include <string>

namespace master::contracts {

/// One line per finding, breaking ones first, and what it comes to.
[[nodiscard]] std::string text_of(const Comparison& comparison);
[[nodiscard]] std::string json_of(const Comparison& comparison);
/// For continuous integration: a test case for everything that was compared, failed by what is breaking.
[[nodiscard]] std::string junit_of(const Comparison& comparison);

}  // namespace master::contracts
