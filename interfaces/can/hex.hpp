#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// Hexadecimal digits as in logs and on serial lines.
namespace interfaces::can {

/// -1 for what is no digit.
[[nodiscard]] constexpr int hex_digit(char letter) {
    if (letter >= '0' && letter <= '9') return letter - '0';
    if (letter >= 'A' && letter <= 'F') return letter - 'A' + 10;
    if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
    return -1;
}

/// All of the text, one to eight digits.
[[nodiscard]] constexpr std::optional<std::uint32_t> hex_number(std::string_view text) {
    if (text.empty() || text.size() > 8) return std::nullopt;
    std::uint32_t value = 0;
    for (const char letter : text) {
        const int digit = hex_digit(letter);
        if (digit < 0) return std::nullopt;
        value = value << 4 | static_cast<std::uint32_t>(digit);
    }
    return value;
}

/// Two digits per byte, all of the text; false where it is something else or `bytes` has another size.
[[nodiscard]] constexpr bool hex_bytes(std::string_view text, std::span<std::uint8_t> bytes) {
    if (text.size() != 2 * bytes.size()) return false;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);
        if (high < 0 || low < 0) return false;
        bytes[i] = static_cast<std::uint8_t>(high << 4 | low);
    }
    return true;
}

inline void append_hex(std::string& text, std::uint32_t value, int digits) {
    for (int i = digits; i-- > 0;) text += "0123456789ABCDEF"[value >> (4 * i) & 0xFu];
}

}  // namespace interfaces::can
