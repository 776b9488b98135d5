#include "fmus/can/common/candump.hpp"

#include <charconv>

namespace fmus::can {

namespace {

std::string_view take_until(std::string_view& text, std::string_view end) {
    const std::size_t at = text.find(end);
    const std::string_view piece = text.substr(0, at);
    text = at == std::string_view::npos ? std::string_view() : text.substr(at + end.size());
    return piece;
}

template <class T>
bool read(std::string_view text, T& value, int base) {
    const auto done = std::from_chars(text.data(), text.data() + text.size(), value, base);
    return done.ec == std::errc() && done.ptr == text.data() + text.size() && !text.empty();
}

std::optional<std::int64_t> read_time(std::string_view text) {
    const std::string_view whole = take_until(text, ".");
    std::int64_t seconds = 0, fraction = 0;
    constexpr std::int64_t most_seconds = 9'000'000'000;  // what nanoseconds in 64 bits hold
    if (!read(whole, seconds, 10) || seconds < 0 || seconds > most_seconds || text.size() > 9) return std::nullopt;
    if (!text.empty() && (!read(text, fraction, 10) || fraction < 0)) return std::nullopt;
    for (std::size_t digits = text.size(); digits < 9; ++digits) fraction *= 10;
    return seconds * 1'000'000'000 + fraction;
}

bool read_data(std::string_view text, std::size_t most, interfaces::can::Frame& frame) {
    if (text.size() % 2 != 0 || text.size() / 2 > most) return false;
    for (std::size_t i = 0; i < text.size() / 2; ++i)
        if (!read(text.substr(2 * i, 2), frame.data[i], 16)) return false;
    frame.size = static_cast<std::uint8_t>(text.size() / 2);
    return true;
}

bool read_frame(std::string_view text, interfaces::can::Frame& frame) {
    const std::string_view id = take_until(text, "#");
    if ((id.size() != 3 && id.size() != 8) || !read(id, frame.id, 16)) return false;
    frame.extended = id.size() == 8;
    if (frame.id > (frame.extended ? 0x1FFF'FFFFU : 0x7FFU)) return false;
    if (text.starts_with('#')) {
        std::uint8_t flags = 0;
        if (text.size() < 2 || !read(text.substr(1, 1), flags, 16)) return false;
        frame.fd = true;
        frame.bit_rate_switch = (flags & 1) != 0;
        frame.error_state = (flags & 2) != 0;
        return read_data(text.substr(2), interfaces::can::fd_size, frame);
    }
    if (text.starts_with('R')) {
        frame.remote = true;
        return text.size() == 1 ||
               (read(text.substr(1), frame.size, 16) && frame.size <= interfaces::can::classic_size);
    }
    return read_data(text, interfaces::can::classic_size, frame);
}

}  // namespace

std::optional<LogLine> parse_candump(std::string_view line) {
    if (!line.starts_with('(')) return std::nullopt;
    line.remove_prefix(1);
    const auto time = read_time(take_until(line, ") "));
    if (!time) return std::nullopt;
    LogLine result{.time = *time, .interface = take_until(line, " "), .frame = {}};
    const std::string_view frame = take_until(line, " ");  // newer programs add the direction
    if (result.interface.empty() || !read_frame(frame, result.frame)) return std::nullopt;
    return result;
}

}  // namespace fmus::can
