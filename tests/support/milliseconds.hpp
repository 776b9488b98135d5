#pragma once

#include <cstdint>

namespace tests {

/// In nanoseconds, as the clocks of the protocols count.
constexpr std::int64_t ms = 1'000'000;

}  // namespace tests
