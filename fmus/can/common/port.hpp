#pragma once

#include "interfaces/ls_bus/outbox.hpp"

#include <cmath>
#include <cstdint>
#include <optional>
#include <tuple>

namespace fmus::can {

using Nanoseconds = std::int64_t;

[[nodiscard]] inline Nanoseconds nanoseconds(double t) { return std::llround(t * 1e9); }

/// What the four variables of an FMI-LS-BUS terminal hold, and when its clock is to tick next.
struct Port {
    interfaces::ls_bus::Bytes rx_data;
    bool rx_clock = false, tx_clock = false;
    interfaces::ls_bus::Outbox out;  // out.data is Tx_Data
    std::optional<double> countdown;
    std::uint64_t format_errors = 0;  // operations that were none

    /// Begins an update of discrete states: what was handed over is forgotten, and what came is given to `handle`, one
    /// operation after the other. What is none is answered.
    template <class Handle>
    void update(Handle handle) {
        namespace ls_bus = interfaces::ls_bus;
        if (tx_clock) out.handed_over();
        if (!rx_clock) return;
        ls_bus::Reader reader(rx_data);
        while (const auto piece = reader.next()) {
            if (const auto operation = ls_bus::decode(*piece)) {
                handle(*operation);
            } else {
                ++format_errors;
                if (ls_bus::deserves_format_error(*piece)) out.put(ls_bus::FormatError{*piece});
            }
        }
    }
    /// Ends it: the clock ticks now, if something is to go out, else when something will be. That is said every time,
    /// because not every importer keeps what it heard before.
    void announce(Nanoseconds now, std::optional<Nanoseconds> next) {
        due_ = out.empty() ? next : now;
        countdown.reset();
        if (due_) countdown = static_cast<double>(*due_ - now) / 1e9;
    }
    /// Whether something is to go out and no tick will come for it.
    [[nodiscard]] bool wants_event(Nanoseconds now) const { return !out.empty() && !(due_ && *due_ <= now); }

    auto members() { return std::tie(rx_data, rx_clock, tx_clock, out, countdown, format_errors, due_); }

private:
    std::optional<Nanoseconds> due_;  // the tick that the importer knows of
};

}  // namespace fmus::can
