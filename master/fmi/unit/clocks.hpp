#pragma once

#include "master/core/unit.hpp"
#include "master/fmi/unit/calls.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace master::fmi {

/// The clocks of one FMI 3 unit: which tick, and when each time-based one ticks next. Functions return a status.
class Clocks {
public:
    Clocks(const ModelDescription& description, const Library& library);

    [[nodiscard]] int activate(fmi3Instance instance, std::span<const std::uint32_t> input_clocks);
    /// Appends output clocks that tick now, and those that ticked inside the last step (see `keep`).
    [[nodiscard]] int active(fmi3Instance instance, std::vector<std::uint32_t>& ticking);
    /// Appends the time from `now` to the next tick of each clock whose interval is known and new.
    [[nodiscard]] int intervals(fmi3Instance instance, double now, std::vector<core::ClockInterval>& changed);
    /// After an event inside a step: remembers what ticked and what countdowns began, until the master asks.
    [[nodiscard]] int keep(fmi3Instance instance, double at);
    [[nodiscard]] bool has_kept() const { return !kept_ticks_.empty() || has_kept_countdown_; }
    [[nodiscard]] std::span<const std::uint32_t> kept_ticks() const { return kept_ticks_; }

private:
    struct Clock {
        std::uint32_t variable = 0;
        fmi3ValueReference reference = 0;
        core::ClockKind kind = core::ClockKind::none;
        std::optional<base::Fraction> interval, shift;
        bool exact = true;
        bool asks_fraction = false;
        bool started = false;  // its first tick was announced
        bool ticked = false;   // at this instant
        double kept_due = -1;  // a countdown that began inside a step ends at this time; negative: none
    };
    struct Answer {
        base::Fraction seconds;
        bool exact = true;
        fmi3IntervalQualifier qualifier = fmi3IntervalNotYetKnown;
    };

    [[nodiscard]] int add_active(fmi3Instance instance, std::vector<std::uint32_t>& ticking);
    [[nodiscard]] int ask(fmi3Instance instance, const Clock& clock, Answer& answer) const;
    [[nodiscard]] int ask_shift(fmi3Instance instance, Clock& clock) const;
    [[nodiscard]] int next_tick(fmi3Instance instance, double now, Clock& clock,
                                std::vector<core::ClockInterval>& changed);
    [[nodiscard]] int countdown(fmi3Instance instance, double now, Clock& clock,
                                std::vector<core::ClockInterval>& changed);

    Function<fmi3SetClockTYPE> set_clock_;
    Function<fmi3GetClockTYPE> get_clock_;
    Function<fmi3GetIntervalDecimalTYPE> get_decimal_;
    Function<fmi3GetIntervalFractionTYPE> get_fraction_;
    Function<fmi3GetShiftDecimalTYPE> get_shift_;
    std::vector<Clock> timed_;  // input clocks with an interval
    std::vector<std::uint32_t> outputs_;
    std::vector<fmi3ValueReference> output_references_;
    std::vector<fmi3ValueReference> activated_;  // room for the references of one call
    std::unique_ptr<bool[]> values_;             // room for every clock's value
    std::vector<std::uint32_t> kept_ticks_;
    std::vector<fmi3ValueReference> by_variable_;  // reference of every variable
    bool has_kept_countdown_ = false;
};

}  // namespace master::fmi
