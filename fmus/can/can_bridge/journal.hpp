#pragma once

#include "fmus/can/can_bridge/arrival.hpp"
#include "fmus/can/common/port.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace fmus::can {

/// What came from outside, and the communication point at which it entered the simulation, in ns.
struct JournalEntry {
    Nanoseconds point = 0;
    Arrival arrival;
};

/// The lines of a journal: the point, and behind it a line of candump whose channel is `in`, `own`
/// or `refused`, with the time at which the frame came; or `report` with what a report holds.
inline constexpr std::string_view journal_head =
    "# point in ns, (time of reception) direction frame; or: report state refused lost malformed problem\n";
void append_journal(Nanoseconds point, const Arrival& arrival, std::string& to);
[[nodiscard]] std::optional<JournalEntry> read_journal(std::string_view line);

}  // namespace fmus::can
