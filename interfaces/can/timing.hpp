#pragma once

#include "interfaces/can/frame.hpp"

#include <cstdint>

/// How long a frame is on the wire, to the bit (ISO 11898-1).
namespace interfaces::can {

/// Recessive bits between two frames; not part of a frame.
inline constexpr std::uint32_t interframe_bits = 3;

/// Bits of a frame from its start to the end of its last field, stuff bits included. A frame that switches its bit rate
/// sends the bits after BRS up to the CRC delimiter at the data rate; the two halves of those two bits add up to one
/// bit of each rate where the sample points are equal.
struct BitCount {
    std::uint32_t nominal = 0, data = 0;

    friend bool operator==(const BitCount&, const BitCount&) = default;
};

/// Of an error frame, which only reports and is not sent: none.
[[nodiscard]] BitCount bit_counts(const Frame& frame);

/// Bits of both rates together.
[[nodiscard]] std::uint32_t bit_count(const Frame& frame);

/// In bit/s.
struct BitRates {
    std::uint32_t nominal = 250'000;
    std::uint32_t data = 0;  // of frames that switch; 0: as the nominal one
};

/// Nanoseconds that the bits take.
[[nodiscard]] std::int64_t duration(const BitCount& bits, const BitRates& rates);

/// The data length code that carries `size` bytes: the smallest one with room for them.
[[nodiscard]] std::uint8_t length_code(std::uint8_t size);

/// Bytes that a data length code stands for; classic frames carry at most 8 by any code.
[[nodiscard]] std::uint8_t length_of_code(std::uint8_t code, bool fd);

}  // namespace interfaces::can
