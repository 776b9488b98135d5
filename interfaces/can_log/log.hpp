#pragma once

#include "interfaces/can/frame.hpp"

#include <cstdint>
#include <string>
#include <string_view>

/// Recorded bus traffic as text: the log of candump (can-utils) and ASC (Vector).
namespace interfaces::can_log {

struct Entry {
    std::int64_t nanoseconds = 0;  // candump: since 1970 or the start of the recording; ASC: since its start
    std::string channel = "can0";
    can::Frame frame;
    bool sent = false;  // by whoever recorded it

    friend bool operator==(const Entry&, const Entry&) = default;
};

/// What a line is: a frame, something that may stand between frames, or neither.
enum class Line { frame, other, malformed };

/// `(1436509052.249713) can0 123#1122` as of `candump -L`, or ` can0  123   [2]  11 22` as on the screen.
[[nodiscard]] Line read_candump(std::string_view line, Entry& entry);
void write_candump(const Entry& entry, std::string& out);

/// Keeps what the head of the file says: base of numbers, and whether times count from the line before.
class AscReader {
public:
    [[nodiscard]] Line read(std::string_view line, Entry& entry);

private:
    [[nodiscard]] Line read_classic(std::string_view rest, Entry& entry) const;
    [[nodiscard]] Line read_fd(std::string_view rest, Entry& entry) const;

    int base_ = 16;
    bool relative_ = false;
    std::int64_t last_ = 0;
};

/// The head of an ASC file; `seconds` since 1970 is when its time 0 was.
void write_asc_head(std::int64_t seconds, std::string& out);
void write_asc(const Entry& entry, std::string& out);
void write_asc_end(std::string& out);

}  // namespace interfaces::can_log
