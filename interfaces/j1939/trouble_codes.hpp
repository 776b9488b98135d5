#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace interfaces::j1939 {

/// One fault (SAE J1939-73): which parameter, how it fails, how often.
struct TroubleCode {
    std::uint32_t parameter = 0;   // suspect parameter number, 19 bits
    std::uint8_t failure = 0;      // failure mode, 5 bits
    std::uint8_t occurrences = 0;  // 7 bits

    friend bool operator==(const TroubleCode&, const TroubleCode&) = default;
};

enum class Lamp : std::uint8_t { off = 0, on = 1, error = 2, not_available = 3 };

/// DM1, the active trouble codes of a device.
struct ActiveTroubleCodes {
    Lamp protect = Lamp::off, amber = Lamp::off, red = Lamp::off, malfunction = Lamp::off;
    std::vector<TroubleCode> codes;

    friend bool operator==(const ActiveTroubleCodes&, const ActiveTroubleCodes&) = default;
};

/// At least eight bytes; codes beyond what a message holds are left out.
[[nodiscard]] std::vector<std::uint8_t> bytes_of(const ActiveTroubleCodes& active);
[[nodiscard]] std::optional<ActiveTroubleCodes> active_trouble_codes(std::span<const std::uint8_t> bytes);

}  // namespace interfaces::j1939
