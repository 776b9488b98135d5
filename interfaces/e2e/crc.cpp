#include "interfaces/e2e/crc.hpp"

#include <array>

namespace interfaces::e2e {

namespace {

using Table = std::array<std::uint8_t, 256>;

constexpr Table table_of(std::uint8_t polynomial) {
    Table table{};
    for (unsigned i = 0; i < 256; ++i) {
        unsigned crc = i;
        for (int bit = 0; bit < 8; ++bit) crc = (crc & 0x80u) != 0 ? crc << 1 ^ polynomial : crc << 1;
        table[i] = static_cast<std::uint8_t>(crc);
    }
    return table;
}

constexpr Table j1850 = table_of(0x1D), h2f = table_of(0x2F);

std::uint8_t fed(const Table& table, std::uint8_t crc, std::span<const std::uint8_t> bytes) {
    for (const std::uint8_t byte : bytes) crc = table[crc ^ byte];
    return crc;
}

}  // namespace

std::uint8_t crc8_j1850(std::uint8_t crc, std::span<const std::uint8_t> bytes) { return fed(j1850, crc, bytes); }

std::uint8_t crc8_h2f(std::uint8_t crc, std::span<const std::uint8_t> bytes) { return fed(h2f, crc, bytes); }

}  // namespace interfaces::e2e
