#pragma once

#include "interfaces/can/frame.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// The ASCII protocol of serial CAN adapters (Lawicel), with the usual extension for FD.
namespace interfaces::can {

/// A frame as its line, without the carriage return at the end; empty for an error frame, which has none.
[[nodiscard]] std::string slcan_line(const Frame& frame);

/// What follows the data, such as a time stamp, is passed over.
[[nodiscard]] std::optional<Frame> slcan_frame(std::string_view line);

/// The letter of `S`: 0 for 10 kbit/s to 8 for 1 Mbit/s.
[[nodiscard]] std::optional<char> slcan_rate(std::uint32_t bit_rate);

/// Collects bytes to lines that end in a carriage return; a longer one than any command has is dropped.
class SlcanLines {
public:
    static constexpr std::size_t longest = 160;

    enum class Event { none, line, bell, too_long };

    /// Takes one byte. After `line`, `line()` is what came before it.
    [[nodiscard]] Event take(char letter);
    [[nodiscard]] std::string_view line() const { return line_; }

private:
    std::string line_;
    bool complete_ = false, overflow_ = false;
};

/// The adapter's side: answers commands of the host, and says which frames it wants to send.
class SlcanAdapter {
public:
    /// Takes one byte and appends what is to be answered. A frame: the host sends it.
    [[nodiscard]] std::optional<Frame> take(char letter, std::string& answer);
    /// A frame from the bus for the host, with the time of day where the host wants it.
    void append(const Frame& frame, std::int64_t nanoseconds, std::string& out) const;
    [[nodiscard]] bool is_open() const { return open_; }
    [[nodiscard]] std::uint64_t malformed() const { return malformed_; }

private:
    [[nodiscard]] bool command(std::string_view line, std::string& answer);

    SlcanLines lines_;
    bool open_ = false, listen_only_ = false, time_stamps_ = false;
    std::uint64_t malformed_ = 0;
};

}  // namespace interfaces::can
