#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

/// Numbers in bytes, the lowest first.
namespace interfaces::bytes {

template <class Bits>
void put(std::uint8_t* at, Bits bits) {
    if constexpr (std::endian::native == std::endian::little) {
        std::memcpy(at, &bits, sizeof(Bits));
    } else {
        for (std::size_t i = 0; i < sizeof(Bits); ++i) at[i] = static_cast<std::uint8_t>(bits >> (8 * i));
    }
}

template <class Bits>
[[nodiscard]] Bits take(const std::uint8_t* at) {
    Bits bits = 0;
    if constexpr (std::endian::native == std::endian::little) {
        std::memcpy(&bits, at, sizeof(Bits));
    } else {
        for (std::size_t i = 0; i < sizeof(Bits); ++i)
            bits = static_cast<Bits>(bits | static_cast<Bits>(at[i]) << (8 * i));
    }
    return bits;
}

}  // namespace interfaces::bytes
