#include "interfaces/can/transport.hpp"

#include "interfaces/can/timing.hpp"

#include <algorithm>

namespace interfaces::can {

const char* name_of(BusState state) {
    switch (state) {
        case BusState::error_active:
            return "error active";
        case BusState::error_warning:
            return "error warning";
        case BusState::error_passive:
            return "error passive";
        case BusState::bus_off:
            return "bus off";
        case BusState::down:
            return "down";
    }
    return "";
}

bool passes(const std::vector<Filter>& filters, const Frame& frame) {
    if (filters.empty() || frame.error) return true;
    return std::any_of(filters.begin(), filters.end(), [&](const Filter& filter) {
        return filter.extended == frame.extended && ((frame.id ^ filter.id) & filter.mask) == 0;
    });
}

bool is_valid(const Frame& frame) {
    if (frame.error) return frame.id <= 0x1FFFFFFFu && frame.size <= classic_size && !frame.remote && !frame.fd;
    if (frame.id > (frame.extended ? 0x1FFFFFFFu : 0x7FFu)) return false;
    if (frame.fd)
        return !frame.remote && frame.size <= fd_size && length_of_code(length_code(frame.size), true) == frame.size;
    return frame.size <= classic_size && !frame.bit_rate_switch && !frame.error_state;
}

}  // namespace interfaces::can
