#pragma once

#include "master/contracts/finding.hpp"
#include "master/contracts/interface.hpp"

namespace master::contracts {

/// What `actual` does otherwise than `expected` wants it. Two interfaces of one form without any unit are two versions:
/// then it is what became of the first in the second. Throws `Error` where the two have nothing in common.
[[nodiscard]] Comparison compare(const Interface& actual, const Interface& expected);

}  // namespace master::contracts
