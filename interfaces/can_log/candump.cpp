#include "interfaces/can/hex.hpp"
#include "interfaces/can/timing.hpp"
#include "interfaces/can/transport.hpp"
#include "interfaces/can_log/log.hpp"
#include "interfaces/can_log/words.hpp"

namespace interfaces::can_log {

namespace {

constexpr std::uint32_t error_flag = 0x20000000u;

bool set_identifier(std::string_view digits, can::Frame& frame) {
    const auto id = can::hex_number(digits);
    if (!id || (digits.size() != 3 && digits.size() != 8)) return false;
    frame.error = digits.size() == 8 && (*id & error_flag) != 0;
    frame.extended = digits.size() == 8 && !frame.error;
    frame.id = *id & ~(frame.error ? error_flag : 0u);
    return true;
}

/// What stands behind the identifier's `#`.
bool set_data(std::string_view text, can::Frame& frame) {
    if (text.starts_with('#')) {
        const int flags = text.size() > 1 ? can::hex_digit(text[1]) : -1;
        if (flags < 0) return false;
        frame.fd = true;
        frame.bit_rate_switch = (flags & 1) != 0;
        frame.error_state = (flags & 2) != 0;
        text.remove_prefix(2);
    } else if (text.starts_with('R') || text.starts_with('r')) {
        frame.remote = true;
        const std::string_view size = text.substr(1, 1);
        if (text.size() > 1 && (size[0] < '0' || size[0] > '8')) return false;
        frame.size = size.empty() ? 0 : static_cast<std::uint8_t>(size[0] - '0');
        return true;
    }
    text = text.substr(0, text.find('_'));  // a raw length code beyond 8 may follow
    if (text.size() > 2 * can::fd_size) return false;
    frame.size = static_cast<std::uint8_t>(text.size() / 2);
    return can::hex_bytes(text, std::span(frame.data).first(frame.size));
}

/// The columns of the screen: identifier, size in brackets (two digits for FD), bytes.
bool set_columns(std::string_view digits, std::string_view rest, can::Frame& frame) {
    const std::string_view bracket = take_word(rest);
    if (bracket.size() < 3 || !bracket.starts_with('[') || !bracket.ends_with(']')) return false;
    const auto size = number(bracket.substr(1, bracket.size() - 2), 10);
    if (!size || *size > can::fd_size || !set_identifier(digits, frame)) return false;
    frame.fd = bracket.size() == 4;
    frame.size = static_cast<std::uint8_t>(*size);
    std::string_view word = rest;
    if (take_word(word) == "remote") {
        frame.remote = true;
        return true;
    }
    return take_bytes(rest, 16, frame);
}

}  // namespace

Line read_candump(std::string_view line, Entry& entry) {
    entry = Entry();
    std::string_view rest = line;
    std::string_view word = take_word(rest);
    if (word.empty() || word[0] == '#') return Line::other;
    if (word.size() > 2 && word[0] == '(' && word.back() == ')') {
        const auto time = time_of(word.substr(1, word.size() - 2));
        if (!time) return Line::malformed;
        entry.nanoseconds = *time;
        word = take_word(rest);
    }
    if (word.empty() || word.size() > 64) return Line::malformed;
    entry.channel = word;
    word = take_word(rest);
    const std::size_t sign = word.find('#');
    can::Frame& frame = entry.frame;
    if (sign == std::string_view::npos) {
        if (word == "TX" || word == "RX") {  // candump -x
            entry.sent = word == "TX";
            while (!word.empty() && word.find_first_not_of("-BETXR") == std::string_view::npos) word = take_word(rest);
        }
        return set_columns(word, rest, frame) && can::is_valid(frame) ? Line::frame : Line::malformed;
    }
    if (!set_identifier(word.substr(0, sign), frame) || !set_data(word.substr(sign + 1), frame)) return Line::malformed;
    entry.sent = take_word(rest) == "T";
    return can::is_valid(frame) ? Line::frame : Line::malformed;
}

void write_candump(const Entry& entry, std::string& out) {
    const can::Frame& frame = entry.frame;
    out += '(';
    append_time(entry.nanoseconds, out);
    out += ") ";
    out += entry.channel;
    out += ' ';
    can::append_hex(out, frame.id | (frame.error ? error_flag : 0u), frame.extended || frame.error ? 8 : 3);
    out += '#';
    if (frame.fd) {
        out += '#';
        can::append_hex(out, (frame.bit_rate_switch ? 1u : 0u) | (frame.error_state ? 2u : 0u), 1);
    }
    if (frame.remote) {
        out += 'R';
        if (frame.size > 0) can::append_hex(out, frame.size, 1);
    }
    for (const std::uint8_t byte : frame.bytes()) can::append_hex(out, byte, 2);
    if (entry.sent) out += " T";
    out += '\n';
}

}  // namespace interfaces::can_log
