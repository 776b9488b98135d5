#pragma once

#include <cstdint>
#include <span>

/// Checksums of eight bits as messages carry them.
namespace interfaces::e2e {

/// Feeds bytes into a CRC-8; `crc` is what came before. Neither start nor final value is part of it.
[[nodiscard]] std::uint8_t crc8_j1850(std::uint8_t crc, std::span<const std::uint8_t> bytes);  // polynomial 0x1D
[[nodiscard]] std::uint8_t crc8_h2f(std::uint8_t crc, std::span<const std::uint8_t> bytes);    // polynomial 0x2F

}  // namespace interfaces::e2e
