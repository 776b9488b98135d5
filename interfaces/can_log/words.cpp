#include "interfaces/can_log/words.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace interfaces::can_log {

std::string_view take_word(std::string_view& text) {
    constexpr std::string_view blanks = " \t\r\n";
    const std::size_t begin = std::min(text.find_first_not_of(blanks), text.size());
    const std::size_t end = std::min(text.find_first_of(blanks, begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    text.remove_prefix(end);
    return word;
}

std::optional<std::uint32_t> number(std::string_view text, int base) {
    std::uint32_t value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<std::int64_t> time_of(std::string_view text) {
    const std::size_t point = text.find('.');
    const std::string_view whole = text.substr(0, point);
    const std::string_view part = point == std::string_view::npos ? std::string_view() : text.substr(point + 1);
    std::int64_t seconds = 0;
    const auto [end, problem] = std::from_chars(whole.data(), whole.data() + whole.size(), seconds);
    constexpr std::int64_t second = 1'000'000'000;  // ns
    if (problem != std::errc() || end != whole.data() + whole.size() || seconds < 0 || seconds > latest / second)
        return std::nullopt;
    if (part.size() > 9) return std::nullopt;
    std::int64_t nanoseconds = 0;
    for (std::size_t i = 0; i < 9; ++i) {
        const char digit = i < part.size() ? part[i] : '0';
        if (digit < '0' || digit > '9') return std::nullopt;
        nanoseconds = nanoseconds * 10 + (digit - '0');
    }
    nanoseconds += seconds * second;
    if (nanoseconds > latest) return std::nullopt;
    return nanoseconds;
}

void append_time(std::int64_t nanoseconds, std::string& out) {
    const std::int64_t microseconds = (nanoseconds + 500) / 1000;
    char text[40];
    std::snprintf(text, sizeof text, "%lld.%06lld", static_cast<long long>(microseconds / 1000000),
                  static_cast<long long>(microseconds % 1000000));
    out += text;
}

void append_decimal(std::uint32_t number, std::string& out) {
    char text[12];
    out.append(text, std::to_chars(text, text + sizeof text, number).ptr);
}

bool take_bytes(std::string_view& text, int base, can::Frame& frame) {
    for (std::size_t i = 0; i < frame.size; ++i) {
        const auto value = number(take_word(text), base);
        if (!value || *value > 0xFF) return false;
        frame.data[i] = static_cast<std::uint8_t>(*value);
    }
    return true;
}

std::uint32_t channel_number(std::string_view name) {
    std::size_t begin = name.size();
    while (begin > 0 && name[begin - 1] >= '0' && name[begin - 1] <= '9') --begin;
    const auto value = number(name.substr(begin), 10);
    return value && *value < 255 ? *value + 1 : 1;
}

}  // namespace interfaces::can_log
