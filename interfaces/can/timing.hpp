#pragma once

#include "interfaces/can/frame.hpp"

#include <cstdint>

namespace interfaces::can {

/// Bits of a frame on the wire from start of frame to end of frame, stuff bits included.
struct BitCount {
    std::uint32_t nominal = 0;
    std::uint32_t fast = 0;  // at the second bit rate of an FD frame
    friend bool operator==(const BitCount&, const BitCount&) = default;
};
[[nodiscard]] BitCount bit_count(const Frame& frame);

/// Bits that follow every frame before the next may start; they are not in its bit count.
inline constexpr std::uint32_t intermission = 3;

/// bit/s
struct BitRates {
    std::uint32_t nominal = 250'000;
    std::uint32_t fast = 0;  // 0: as the nominal one
};
/// Nanoseconds that the bits take.
[[nodiscard]] std::int64_t duration(const BitCount& bits, const BitRates& rates);

}  // namespace interfaces::can
