#pragma once

#include "interfaces/ls_bus/outbox.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <tuple>

namespace fmus::can {

using Nanoseconds = std::int64_t;

[[nodiscard]] inline Nanoseconds nanoseconds(double t) { return std::llround(t * 1e9); }
[[nodiscard]] inline double seconds(Nanoseconds time) { return static_cast<double>(time) / 1e9; }

/// What the four variables of an FMI-LS-BUS terminal hold, and when its clock is to tick next.
struct Port {
    interfaces::ls_bus::Bytes rx_data;
    bool rx_clock = false, tx_clock = false;
    interfaces::ls_bus::Outbox out;  // out.data is Tx_Data
    std::optional<double> countdown;
    std::uint64_t format_errors = 0;  // operations that were none
    bool triggered = false;           // Tx_Clock is an output that this unit activates; else the importer ticks it

    /// Forgets everything but what its clock is.
    void start() {
        const bool kept = triggered;
        *this = {};
        triggered = kept;
    }

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
        countdown.reset();
        if (triggered) {
            due_ = next;
            if (due_) due_ = std::max(*due_, now + 1);  // a time event of now would come again and again
            return;
        }
        due_ = out.empty() ? next : now;
        if (due_) countdown = seconds(*due_ - now);
    }
    /// A triggered clock is active in the instant that follows the update that found something to go out. Not before:
    /// an importer that updates its units one after the other sees it in either order of them.
    bool tick() {
        tx_clock = triggered && !out.empty();
        return tx_clock;
    }
    /// The time event of a unit with a triggered clock, at which it has something to do.
    [[nodiscard]] std::optional<Nanoseconds> next_event() const { return triggered ? due_ : std::nullopt; }
    /// Whether something is to go out and no tick will come for it; with a triggered clock also while a time event is
    /// to come, because not every importer keeps that over a step that ends before it.
    [[nodiscard]] bool wants_event(Nanoseconds now) const {
        if (triggered) return !out.empty() || due_;
        return !out.empty() && !(due_ && *due_ <= now);
    }

    auto members() { return std::tie(rx_data, rx_clock, tx_clock, out, countdown, format_errors, due_); }

private:
    std::optional<Nanoseconds> due_;  // the tick, or the time event, that the importer knows of
};

}  // namespace fmus::can
