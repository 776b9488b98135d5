#include "interfaces/j1939/trouble_codes.hpp"

#include "interfaces/j1939/identifier.hpp"

namespace interfaces::j1939 {

namespace {

constexpr std::size_t most_codes = (most_bytes - 2) / 4;

Lamp lamp_at(std::uint8_t lamps, unsigned shift) { return static_cast<Lamp>(lamps >> shift & 3u); }

unsigned bits_of(Lamp lamp, unsigned shift) { return static_cast<unsigned>(lamp) << shift; }

}  // namespace

std::vector<std::uint8_t> bytes_of(const ActiveTroubleCodes& active) {
    std::vector<std::uint8_t> bytes;
    bytes.push_back(static_cast<std::uint8_t>(bits_of(active.protect, 0) | bits_of(active.amber, 2) |
                                              bits_of(active.red, 4) | bits_of(active.malfunction, 6)));
    bytes.push_back(0xFF);  // no lamp flashes
    std::size_t count = 0;
    for (const TroubleCode& code : active.codes) {
        if (count++ == most_codes) break;
        bytes.push_back(static_cast<std::uint8_t>(code.parameter));
        bytes.push_back(static_cast<std::uint8_t>(code.parameter >> 8));
        bytes.push_back(static_cast<std::uint8_t>((code.parameter >> 16 & 7u) << 5 | (code.failure & 0x1Fu)));
        bytes.push_back(code.occurrences & 0x7Fu);  // conversion method 0, the one in use
    }
    if (active.codes.empty()) bytes.insert(bytes.end(), 4, 0);  // no fault is a code of zeros
    while (bytes.size() < 8) bytes.push_back(0xFF);
    return bytes;
}

std::optional<ActiveTroubleCodes> active_trouble_codes(std::span<const std::uint8_t> bytes) {
    if (bytes.size() < 6 || bytes.size() > most_bytes) return std::nullopt;
    ActiveTroubleCodes active{.protect = lamp_at(bytes[0], 0),
                              .amber = lamp_at(bytes[0], 2),
                              .red = lamp_at(bytes[0], 4),
                              .malfunction = lamp_at(bytes[0], 6)};
    for (std::size_t i = 2; i + 4 <= bytes.size(); i += 4) {
        const std::uint32_t parameter = bytes[i] | static_cast<std::uint32_t>(bytes[i + 1]) << 8 |
                                        static_cast<std::uint32_t>(bytes[i + 2] >> 5) << 16;
        const TroubleCode code{parameter, static_cast<std::uint8_t>(bytes[i + 2] & 0x1Fu),
                               static_cast<std::uint8_t>(bytes[i + 3] & 0x7Fu)};
        const bool none = parameter == 0 && code.failure == 0, filler = parameter == 0x7FFFF && code.failure == 0x1F;
        if (!none && !filler) active.codes.push_back(code);
    }
    return active;
}

}  // namespace interfaces::j1939
