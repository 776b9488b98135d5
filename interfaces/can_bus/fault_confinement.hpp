#pragma once

#include <cstdint>

namespace interfaces::can_bus {

enum class ErrorState : std::uint8_t { active, passive, off };

/// The error counters of one controller (ISO 11898-1, fault confinement).
struct ErrorCounters {
    std::uint16_t transmit = 0, receive = 0;

    [[nodiscard]] ErrorState state() const {
        if (transmit > 255) return ErrorState::off;
        return transmit > 127 || receive > 127 ? ErrorState::passive : ErrorState::active;
    }
    void sent() {
        if (transmit > 0) --transmit;
    }
    void received() {
        if (receive > 127)
            receive = 127;
        else if (receive > 0)
            --receive;
    }
    void transmit_error() { transmit = static_cast<std::uint16_t>(transmit + 8); }
    /// An error-passive sender that nobody acknowledges stays on the bus: it may be the only one there.
    void acknowledge_error() {
        if (state() != ErrorState::passive) transmit_error();
    }
    /// One that saw the error first finds a dominant bit behind its error flag, which counts eight more.
    void receive_error(bool first) {
        const int counted = receive + (first ? 9 : 1);
        receive = static_cast<std::uint16_t>(counted > 255 ? 255 : counted);
    }
};

}  // namespace interfaces::can_bus
