#include "master/base/xml/values.hpp"

#include <algorithm>
#include <cctype>
#include <limits>

namespace master::base {

std::optional<std::vector<std::uint8_t>> bytes_from_hexadecimal(std::string_view text) {
    text = trimmed(text);
    if (text.size() % 2 != 0) return std::nullopt;
    std::vector<std::uint8_t> bytes;
    bytes.reserve(text.size() / 2);
    for (std::size_t i = 0; i < text.size(); i += 2) {
        std::uint8_t byte = 0;
        const auto [end, failure] = std::from_chars(text.data() + i, text.data() + i + 2, byte, 16);
        if (failure != std::errc{} || end != text.data() + i + 2) return std::nullopt;
        bytes.push_back(byte);
    }
    return bytes;
}

std::optional<double> parse_double(std::string_view text) {
    text = trimmed(text);
    if (text == "INF") return std::numeric_limits<double>::infinity();
    if (text == "-INF") return -std::numeric_limits<double>::infinity();
    if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
    // from_chars also takes "inf" and "nan" in any spelling, which are no numbers in XML.
    if (std::ranges::any_of(
            text, [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 && c != 'e' && c != 'E'; }))
        return std::nullopt;
    return number_from<double>(text);
}

std::optional<std::int64_t> parse_integer(std::string_view text) { return number_from<std::int64_t>(text); }
std::optional<std::uint64_t> parse_natural(std::string_view text) { return number_from<std::uint64_t>(text); }

std::optional<bool> parse_boolean(std::string_view text) {
    text = trimmed(text);
    if (text == "true" || text == "1") return true;
    if (text == "false" || text == "0") return false;
    return std::nullopt;
}

std::vector<std::string_view> words(std::string_view list) {
    std::vector<std::string_view> found;
    for (std::string_view word = take_word(list); !word.empty(); word = take_word(list)) found.push_back(word);
    return found;
}

}  // namespace master::base
