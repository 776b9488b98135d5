#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace master::base {

[[nodiscard]] constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

[[nodiscard]] constexpr std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

/// A number as XML Schema writes it, with blanks around it; nothing when it is none or does not fit.
template <typename Number>
[[nodiscard]] std::optional<Number> number_from(std::string_view text) {
    text = trimmed(text);
    if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
    Number number{};
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

/// A number as XML Schema writes it, where `number_from<double>` also takes infinities in any spelling.
[[nodiscard]] std::optional<double> parse_double(std::string_view text);
[[nodiscard]] std::optional<std::int64_t> parse_integer(std::string_view text);
[[nodiscard]] std::optional<std::uint64_t> parse_natural(std::string_view text);
[[nodiscard]] std::optional<bool> parse_boolean(std::string_view text);

/// An even number of hexadecimal digits as bytes.
[[nodiscard]] std::optional<std::vector<std::uint8_t>> bytes_from_hexadecimal(std::string_view text);

/// The words of a list separated by blanks.
[[nodiscard]] std::vector<std::string_view> words(std::string_view list);

/// Takes the next word off the front of a list separated by blanks; empty at its end.
[[nodiscard]] constexpr std::string_view take_word(std::string_view& list) {
    list = trimmed(list);
    std::size_t size = 0;
    while (size < list.size() && !is_blank(list[size])) ++size;
    const std::string_view word = list.substr(0, size);
    list.remove_prefix(size);
    return word;
}

}  // namespace master::base
