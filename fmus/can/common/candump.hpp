#pragma once

#include "interfaces/can/frame.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace fmus::can {

/// One line of a log as `candump -l` writes it: (seconds) interface identifier#data.
struct LogLine {
    std::int64_t time = 0;  // ns
    std::string_view interface;
    interfaces::can::Frame frame;
};
[[nodiscard]] std::optional<LogLine> parse_candump(std::string_view line);

}  // namespace fmus::can
