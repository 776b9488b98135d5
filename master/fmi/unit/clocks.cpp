#include "master/fmi/unit/clocks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace master::fmi {
namespace {

/// A decimal interval to the picosecond, the finest tick there is; long ones more coarsely, so that they fit.
base::Fraction fraction_of(double seconds) {
    std::int64_t per_second = 1'000'000'000'000;
    while (per_second > 1 && std::fabs(seconds) * static_cast<double>(per_second) > 9e18) per_second /= 10;
    const std::int64_t count = std::llround(seconds * static_cast<double>(per_second));
    const std::int64_t divisor = std::max<std::int64_t>(std::gcd(count, per_second), 1);
    return {count / divisor, per_second / divisor};
}

bool fits(std::uint64_t number) { return number <= static_cast<std::uint64_t>(INT64_MAX); }

}  // namespace

Clocks::Clocks(const ModelDescription& description, const Library& library)
    : by_variable_(description.references.begin(), description.references.end()) {
    std::size_t count = 0;
    for (std::uint32_t i = 0; i < description.info.variables.size(); ++i) {
        const core::Variable& variable = description.info.variables[i];
        if (variable.type != core::Type::clock) continue;
        ++count;
        if (variable.causality == core::Causality::output) {
            outputs_.push_back(i);
            output_references_.push_back(description.references[i]);
        }
        if (!core::is_time_based(variable)) continue;
        timed_.push_back({.variable = i,
                          .reference = description.references[i],
                          .kind = variable.clock_kind,
                          .interval = variable.clock_interval,
                          .shift = variable.clock_shift,
                          .asks_fraction = variable.clock_fraction});
        if (variable.clock_fraction) {
            get_fraction_ = library.require<fmi3GetIntervalFractionTYPE>("GetIntervalFraction");
        } else if (variable.clock_kind != core::ClockKind::constant) {
            get_decimal_ = library.require<fmi3GetIntervalDecimalTYPE>("GetIntervalDecimal");
        }
    }
    if (count == 0) return;
    values_ = std::make_unique<bool[]>(count);
    activated_.reserve(count);
    kept_ticks_.reserve(count);
    set_clock_ = library.require<fmi3SetClockTYPE>("SetClock");
    get_clock_ = library.require<fmi3GetClockTYPE>("GetClock");
    get_shift_ = library.find<fmi3GetShiftDecimalTYPE>("GetShiftDecimal");
}

int Clocks::activate(fmi3Instance instance, std::span<const std::uint32_t> input_clocks) {
    if (input_clocks.empty()) return Status::ok;
    activated_.clear();
    for (const std::uint32_t variable : input_clocks) {
        activated_.push_back(by_variable_[variable]);
        for (Clock& clock : timed_) clock.ticked |= clock.variable == variable;
    }
    std::fill_n(values_.get(), activated_.size(), true);
    return set_clock_(instance, activated_.data(), activated_.size(), values_.get());
}

int Clocks::active(fmi3Instance instance, std::vector<std::uint32_t>& ticking) {
    ticking.insert(ticking.end(), kept_ticks_.begin(), kept_ticks_.end());
    kept_ticks_.clear();
    return add_active(instance, ticking);
}

/// FMI 3.0.2, 2.2.8.2: an output clock is active only for the first question, so each is asked once per update.
int Clocks::add_active(fmi3Instance instance, std::vector<std::uint32_t>& ticking) {
    if (outputs_.empty()) return Status::ok;
    const int status = get_clock_(instance, output_references_.data(), outputs_.size(), values_.get());
    if (status > Status::warning) return status;
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
        const bool known = std::ranges::find(ticking, outputs_[i]) != ticking.end();
        if (values_[i] && !known) ticking.push_back(outputs_[i]);
    }
    return status;
}

int Clocks::ask(fmi3Instance instance, const Clock& clock, Answer& answer) const {
    if (clock.asks_fraction) {
        std::uint64_t counter = 0;
        std::uint64_t resolution = 1;
        const int status = get_fraction_(instance, &clock.reference, 1, &counter, &resolution, &answer.qualifier);
        if (status > Status::warning) return status;
        const std::uint64_t divisor = std::max<std::uint64_t>(std::gcd(counter, resolution), 1);
        if (resolution == 0 || !fits(counter / divisor) || !fits(resolution / divisor)) return Status::error;
        answer.seconds = {static_cast<std::int64_t>(counter / divisor),
                          static_cast<std::int64_t>(resolution / divisor)};
        return status;
    }
    double seconds = 0;
    const int status = get_decimal_(instance, &clock.reference, 1, &seconds, &answer.qualifier);
    if (status > Status::warning || answer.qualifier == fmi3IntervalNotYetKnown) return status;
    if (!std::isfinite(seconds) || seconds < 0) return Status::error;
    answer.seconds = fraction_of(seconds);
    answer.exact = false;
    return status;
}

int Clocks::ask_shift(fmi3Instance instance, Clock& clock) const {
    if (clock.shift || clock.kind != core::ClockKind::calculated || !get_shift_) return Status::ok;
    double seconds = 0;
    const int status = get_shift_(instance, &clock.reference, 1, &seconds);
    if (status > Status::warning) return status;
    if (!std::isfinite(seconds) || seconds < 0) return Status::error;
    clock.shift = fraction_of(seconds);
    clock.exact = false;
    return status;
}

int Clocks::countdown(fmi3Instance instance, double now, Clock& clock, std::vector<core::ClockInterval>& changed) {
    Answer answer;
    const int status = ask(instance, clock, answer);
    if (status > Status::warning) return status;
    if (answer.qualifier == fmi3IntervalChanged) {
        changed.push_back({clock.variable, answer.seconds, answer.exact});
    } else if (clock.kept_due >= 0) {
        changed.push_back({clock.variable, fraction_of(std::max(clock.kept_due - now, 0.0)), false});
    }
    clock.kept_due = -1;
    return status;
}

/// Ticks come at start + shift, then one interval after the other (FMI 3.0.2, 2.2.8.1); the interval of a changing
/// clock is asked when it ticked.
int Clocks::next_tick(fmi3Instance instance, double now, Clock& clock, std::vector<core::ClockInterval>& changed) {
    if (clock.kind == core::ClockKind::countdown) return countdown(instance, now, clock, changed);
    if (clock.started && !clock.ticked) return Status::ok;
    const bool asks = !clock.interval || (clock.kind == core::ClockKind::changing && clock.ticked);
    if (asks) {
        Answer answer;
        const int status = ask(instance, clock, answer);
        if (status > Status::warning) return status;
        if (answer.qualifier == fmi3IntervalNotYetKnown) return status;
        clock.interval = answer.seconds;
        clock.exact = answer.exact;
    }
    if (!clock.started) {
        const int status = ask_shift(instance, clock);
        if (status > Status::warning) return status;
        clock.started = true;
        changed.push_back({clock.variable, clock.shift.value_or(base::Fraction{}), clock.exact});
        return status;
    }
    clock.ticked = false;
    changed.push_back({clock.variable, *clock.interval, clock.exact});
    return Status::ok;
}

int Clocks::intervals(fmi3Instance instance, double now, std::vector<core::ClockInterval>& changed) {
    has_kept_countdown_ = false;
    for (Clock& clock : timed_) {
        const int status = next_tick(instance, now, clock, changed);
        if (status > Status::warning) return status;
    }
    return Status::ok;
}

int Clocks::keep(fmi3Instance instance, double at) {
    const int status = add_active(instance, kept_ticks_);
    if (status > Status::warning) return status;
    for (Clock& clock : timed_) {
        if (clock.kind != core::ClockKind::countdown) continue;
        Answer answer;
        const int asked = ask(instance, clock, answer);
        if (asked > Status::warning) return asked;
        if (answer.qualifier != fmi3IntervalChanged) continue;
        clock.kept_due = at + answer.seconds.value();
        has_kept_countdown_ = true;
    }
    return status;
}

}  // namespace master::fmi
