#include "interfaces/can/hex.hpp"
#include "interfaces/can/timing.hpp"
#include "interfaces/can/transport.hpp"
#include "interfaces/can_log/log.hpp"
#include "interfaces/can_log/words.hpp"

#include <array>
#include <cstdio>
#include <ctime>

namespace interfaces::can_log {

namespace {

bool set_identifier_of_asc(std::string_view word, int base, can::Frame& frame) {
    frame.extended = word.ends_with('x') || word.ends_with('X');
    if (frame.extended) word.remove_suffix(1);
    const auto id = number(word, base);
    frame.id = id.value_or(0);
    return id.has_value();
}

/// A request to transmit (TxRq) is no frame: the frame follows where there was one.
bool set_direction(std::string_view word, Entry& entry) {
    entry.sent = word == "Tx";
    return entry.sent || word == "Rx";
}

std::string channel_name(std::uint32_t number) { return "can" + std::to_string(number > 0 ? number - 1 : 0); }

}  // namespace

Line AscReader::read(std::string_view line, Entry& entry) {
    entry = Entry();
    std::string_view rest = line;
    const std::string_view first = take_word(rest);
    if (first == "base") {
        base_ = take_word(rest) == "dec" ? 10 : 16;
        if (take_word(rest) == "timestamps") relative_ = take_word(rest) == "relative";
        return Line::other;
    }
    const auto time = first.empty() || first[0] < '0' || first[0] > '9' ? std::nullopt : time_of(first);
    if (!time) return Line::other;  // head, comments, trigger blocks
    const std::int64_t before = relative_ ? last_ : 0;
    if (*time > latest - before) return Line::malformed;
    entry.nanoseconds = last_ = before + *time;
    const std::string_view kind = take_word(rest);
    if (kind == "CANFD") return read_fd(rest, entry);
    const auto channel = number(kind, 10);
    if (!channel || *channel == 0 || *channel > 255) return Line::other;  // statistics, chip states, other buses
    entry.channel = channel_name(*channel);
    return read_classic(rest, entry);
}

/// Identifier, direction, `d` with size and bytes or `r`, or ErrorFrame.
Line AscReader::read_classic(std::string_view rest, Entry& entry) const {
    can::Frame& frame = entry.frame;
    const std::string_view id = take_word(rest);
    if (id == "ErrorFrame") {
        frame.error = true;
        return Line::frame;
    }
    const std::string_view direction = take_word(rest), kind = take_word(rest), size = take_word(rest);
    if (id == "Statistic:" || !set_direction(direction, entry)) return Line::other;
    if (!set_identifier_of_asc(id, base_, frame)) return Line::malformed;
    frame.remote = kind == "r";
    const auto code = frame.remote && size.empty() ? std::optional(0u) : number(size, base_);
    if (!code || *code > 15 || (!frame.remote && kind != "d")) return Line::malformed;
    frame.size = can::length_of_code(static_cast<std::uint8_t>(*code), false);
    if (!frame.remote && !take_bytes(rest, base_, frame)) return Line::malformed;
    return can::is_valid(frame) ? Line::frame : Line::malformed;
}

/// Channel, direction, identifier, perhaps a name, BRS, ESI, length code, size, bytes.
Line AscReader::read_fd(std::string_view rest, Entry& entry) const {
    can::Frame& frame = entry.frame;
    const auto channel = number(take_word(rest), 10);
    if (!channel || *channel == 0 || *channel > 255) return Line::malformed;
    entry.channel = channel_name(*channel);
    const std::string_view direction = take_word(rest);
    if (!set_direction(direction, entry)) return direction == "TxRq" ? Line::other : Line::malformed;
    const std::string_view id = take_word(rest);
    if (id == "ErrorFrame") {
        frame.error = true;
        return Line::frame;
    }
    if (!set_identifier_of_asc(id, base_, frame)) return Line::malformed;
    std::string_view word = take_word(rest);
    if (word != "0" && word != "1") word = take_word(rest);
    const std::string_view state = take_word(rest);
    static_cast<void>(take_word(rest));  // the code says no more than the size
    const auto size = number(take_word(rest), 10);
    if ((word != "0" && word != "1") || (state != "0" && state != "1") || !size || *size > can::fd_size)
        return Line::malformed;
    frame.fd = true;
    frame.bit_rate_switch = word == "1";
    frame.error_state = state == "1";
    frame.size = static_cast<std::uint8_t>(*size);
    if (!take_bytes(rest, base_, frame)) return Line::malformed;
    return can::is_valid(frame) ? Line::frame : Line::malformed;
}

void write_asc_head(std::int64_t seconds, std::string& out) {
    constexpr std::array days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    constexpr std::array months{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const std::time_t time = seconds;
    std::tm utc{};
    gmtime_r(&time, &utc);
    char date[64];
    std::snprintf(date, sizeof date, "%s %s %02d %02d:%02d:%02d.000 %d", days[static_cast<std::size_t>(utc.tm_wday)],
                  months[static_cast<std::size_t>(utc.tm_mon)], utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec,
                  1900 + utc.tm_year);
    out += std::string("date ") + date +
           "\nbase hex  timestamps absolute\ninternal events logged\nBegin Triggerblock " + date +
           "\n   0.000000 Start of measurement\n";
}

void write_asc(const Entry& entry, std::string& out) {
    const can::Frame& frame = entry.frame;
    const auto append_channel = [&] { append_decimal(channel_number(entry.channel), out); };
    const auto append_id = [&] {
        can::append_hex(out, frame.id, frame.extended ? 8 : 3);
        if (frame.extended) out += 'x';
    };
    const char* const direction = entry.sent ? "Tx" : "Rx";
    out += "   ";
    append_time(entry.nanoseconds, out);
    out += frame.fd && !frame.error ? " CANFD " : " ";
    append_channel();
    if (frame.error) {
        out += "  ErrorFrame\n";
        return;
    }
    if (frame.fd) {
        out += ' ';
        out += direction;
        out += ' ';
        append_id();
        out += frame.bit_rate_switch ? " 1" : " 0";
        out += frame.error_state ? " 1 " : " 0 ";
        can::append_hex(out, can::length_code(frame.size), 1);
        out += ' ';
    } else {
        out += "  ";
        append_id();
        out += "  ";
        out += direction;
        out += frame.remote ? "  r " : "  d ";
    }
    append_decimal(frame.size, out);
    for (const std::uint8_t byte : frame.bytes()) {
        out += ' ';
        can::append_hex(out, byte, 2);
    }
    // What Vector's tools expect behind the data of FD frames: duration, length, flags, CRC, bit timing.
    if (frame.fd) out += frame.bit_rate_switch ? " 0 0 3000 0 0 0 0 0" : " 0 0 1000 0 0 0 0 0";
    out += '\n';
}

void write_asc_end(std::string& out) { out += "End TriggerBlock\n"; }

}  // namespace interfaces::can_log
