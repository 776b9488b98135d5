#include "interfaces/dbc/read.hpp"

#include <array>

namespace interfaces::dbc {

namespace {

/// 0x80 to 0x9F; the five bytes without a character keep their number.
constexpr std::array<std::uint16_t, 32> upper_page{0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                                   0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008D, 0x017D, 0x008F,
                                                   0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                                   0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178};

void append(std::string& text, std::uint32_t code) {
    if (code < 0x80) {
        text += static_cast<char>(code);
        return;
    }
    if (code < 0x800) {
        text += static_cast<char>(0xC0 | code >> 6);
    } else {
        text += static_cast<char>(0xE0 | code >> 12);
        text += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    }
    text += static_cast<char>(0x80 | (code & 0x3F));
}

/// Bytes that follow this first one of a character; -1 where none may begin so.
int followers(unsigned char first) {
    if (first < 0x80) return 0;
    if (first < 0xC2) return -1;
    if (first < 0xE0) return 1;
    if (first < 0xF0) return 2;
    return first < 0xF5 ? 3 : -1;
}

}  // namespace

std::string utf8_of_cp1252(std::string_view text) {
    std::string out;
    out.reserve(text.size() + text.size() / 8);
    for (const char letter : text) {
        const auto byte = static_cast<unsigned char>(letter);
        append(out, byte >= 0x80 && byte < 0xA0 ? upper_page[byte - 0x80u] : byte);
    }
    return out;
}

bool is_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const int count = followers(static_cast<unsigned char>(text[i]));
        if (count < 0 || text.size() - i <= static_cast<std::size_t>(count)) return false;
        for (int k = 1; k <= count; ++k)
            if ((static_cast<unsigned char>(text[i + static_cast<std::size_t>(k)]) & 0xC0) != 0x80) return false;
        i += static_cast<std::size_t>(count) + 1;
    }
    return true;
}

}  // namespace interfaces::dbc
