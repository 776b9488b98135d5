#include "interfaces/can/slcan.hpp"

#include "interfaces/can/hex.hpp"
#include "interfaces/can/timing.hpp"
#include "interfaces/can/transport.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace interfaces::can {

namespace {

constexpr char carriage_return = '\r', bell = '\a';

char letter_of(const Frame& frame) {
    const char letter = frame.fd ? (frame.bit_rate_switch ? 'b' : 'd') : (frame.remote ? 'r' : 't');
    return frame.extended ? static_cast<char>(letter - 'a' + 'A') : letter;
}

bool is_frame_letter(char letter) { return std::string_view("tTrRdDbB").find(letter) != std::string_view::npos; }

}  // namespace

std::string slcan_line(const Frame& frame) {
    if (!is_valid(frame) || frame.error) return {};
    std::string line(1, letter_of(frame));
    append_hex(line, frame.id, frame.extended ? 8 : 3);
    append_hex(line, length_code(frame.size), 1);
    for (const std::uint8_t byte : frame.bytes()) append_hex(line, byte, 2);
    return line;
}

std::optional<Frame> slcan_frame(std::string_view line) {
    if (line.empty() || !is_frame_letter(line[0])) return std::nullopt;
    const char kind = line[0];
    Frame frame;
    frame.extended = kind < 'a';
    const char small = frame.extended ? static_cast<char>(kind - 'A' + 'a') : kind;
    frame.remote = small == 'r';
    frame.fd = small == 'd' || small == 'b';
    frame.bit_rate_switch = small == 'b';
    const std::size_t digits = frame.extended ? 8 : 3;
    if (line.size() < digits + 2) return std::nullopt;
    const auto id = hex_number(line.substr(1, digits)), code = hex_number(line.substr(1 + digits, 1));
    if (!id || !code || (!frame.fd && *code > classic_size)) return std::nullopt;
    frame.id = *id;
    frame.size = length_of_code(static_cast<std::uint8_t>(*code), frame.fd);
    const std::size_t count = frame.remote ? 0 : frame.size;
    if (line.size() < digits + 2 + 2 * count) return std::nullopt;
    if (!hex_bytes(line.substr(digits + 2, 2 * count), std::span(frame.data).first(count))) return std::nullopt;
    if (!is_valid(frame)) return std::nullopt;
    return frame;
}

std::optional<char> slcan_rate(std::uint32_t bit_rate) {
    constexpr std::array<std::uint32_t, 9> rates{10000, 20000, 50000, 100000, 125000, 250000, 500000, 800000, 1000000};
    const auto found = std::find(rates.begin(), rates.end(), bit_rate);
    if (found == rates.end()) return std::nullopt;
    return static_cast<char>('0' + (found - rates.begin()));
}

SlcanLines::Event SlcanLines::take(char letter) {
    if (complete_) line_.clear();
    complete_ = false;
    if (letter == bell) {
        line_.clear();
        overflow_ = false;
        return Event::bell;
    }
    if (letter == carriage_return) {
        complete_ = true;
        return std::exchange(overflow_, false) ? Event::too_long : Event::line;
    }
    if (letter == '\n') return Event::none;
    if (line_.size() == longest) overflow_ = true;
    if (!overflow_) line_ += letter;
    return Event::none;
}

std::optional<Frame> SlcanAdapter::take(char letter, std::string& answer) {
    const SlcanLines::Event event = lines_.take(letter);
    if (event == SlcanLines::Event::none || event == SlcanLines::Event::bell) return std::nullopt;
    const std::string_view line = lines_.line();
    if (event == SlcanLines::Event::line && !line.empty() && is_frame_letter(line[0])) {
        const std::optional<Frame> frame = slcan_frame(line);
        if (frame && open_ && !listen_only_) {
            answer += frame->extended ? 'Z' : 'z';
            answer += carriage_return;
            return frame;
        }
        malformed_ += frame ? 0 : 1;
        answer += bell;
        return std::nullopt;
    }
    if (event == SlcanLines::Event::line && command(line, answer)) {
        answer += carriage_return;
    } else {
        ++malformed_;
        answer += bell;
    }
    return std::nullopt;
}

/// The answer before the carriage return; false for what is unknown or not now.
bool SlcanAdapter::command(std::string_view line, std::string& answer) {
    if (line.empty()) return true;
    const std::string_view value = line.substr(1);
    switch (line[0]) {
        case 'O':
        case 'L':  // a second O of an eager host changes nothing
            listen_only_ = line[0] == 'L';
            open_ = true;
            return true;
        case 'C':
            open_ = false;
            return true;
        case 'S':
            return !open_ && value.size() == 1 && value[0] >= '0' && value[0] <= '9';
        case 's':
            return !open_ && value.size() == 4 && hex_number(value);
        case 'Y':  // data bit rate of FD adapters
        case 'X':
            return true;
        case 'M':
        case 'm':
            return !open_ && value.size() == 8 && hex_number(value);
        case 'Z':
            if (open_ || (value != "0" && value != "1")) return false;
            time_stamps_ = value == "1";
            return true;
        case 'V':
            answer += "V1013";
            return true;
        case 'v':
            answer += "vTandem";
            return true;
        case 'N':
            answer += "NT001";
            return true;
        case 'F':
            if (open_) answer += "F00";
            return open_;
        default:
            return false;
    }
}

void SlcanAdapter::append(const Frame& frame, std::int64_t nanoseconds, std::string& out) const {
    const std::string line = slcan_line(frame);
    if (line.empty()) return;
    out += line;
    if (time_stamps_) append_hex(out, static_cast<std::uint32_t>(nanoseconds / 1000000 % 60000), 4);
    out += carriage_return;
}

}  // namespace interfaces::can
