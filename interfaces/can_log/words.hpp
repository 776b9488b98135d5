#pragma once

#include "interfaces/can/frame.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace interfaces::can_log {

/// Takes the next word off the text; empty at its end.
[[nodiscard]] std::string_view take_word(std::string_view& text);

/// Decimal or hexadecimal digits, all of the text.
[[nodiscard]] std::optional<std::uint32_t> number(std::string_view text, int base);

/// The latest time of a log, ns: rounded to microseconds as it is written, it is still one that can be read.
inline constexpr std::int64_t latest = 9'000'000'000'000'000'000;
/// Seconds with up to nine digits behind the point, as nanoseconds.
[[nodiscard]] std::optional<std::int64_t> time_of(std::string_view text);
/// With six digits behind the point.
void append_time(std::int64_t nanoseconds, std::string& out);
void append_decimal(std::uint32_t number, std::string& out);

/// Bytes as words of two digits (or decimal numbers) into the frame, as many as its size.
[[nodiscard]] bool take_bytes(std::string_view& text, int base, can::Frame& frame);

/// `can0` is channel 1, as Vector counts; names without a number are, too.
[[nodiscard]] std::uint32_t channel_number(std::string_view name);

}  // namespace interfaces::can_log
