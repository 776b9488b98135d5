#include "master/results/recorder.hpp"

#include "master/base/error.hpp"

#include <algorithm>

namespace master::results {

RowSchedule::RowSchedule(base::Timebase timebase, std::optional<base::Fraction> interval)
    : timebase_(timebase), interval_(interval.value_or(base::Fraction{})), thinned_(interval.has_value()) {
    if (thinned_ && interval_.numerator <= 0)
        throw base::Error("record-interval", "", "the interval between recorded rows must be greater than zero");
}

void RowSchedule::plan_next(base::Time t) {
    if (!origin_) origin_ = t;
    // 128 bits: ticks times a denominator of 64 bits must not overflow.
    using Wide = __int128;
    const Wide passed = Wide{t.ticks - origin_->ticks} * interval_.denominator;
    const Wide period = Wide{interval_.numerator} * timebase_.ticks_per_second;
    const Wide next = (passed / period + 1) * period;
    const Wide ticks = (next + interval_.denominator - 1) / interval_.denominator + origin_->ticks;
    next_ = static_cast<std::int64_t>(std::min<Wide>(ticks, std::numeric_limits<std::int64_t>::max()));
}

std::vector<Source> sources_of(std::span<const core::Column> columns) {
    std::vector<Source> sources;
    sources.reserve(columns.size());
    for (const core::Column& column : columns) sources.push_back({column.index, column.type, column.input});
    return sources;
}

double number(const Source& source, const core::Signals& signals) {
    const core::Lanes& lanes = source.lanes(signals);
    switch (source.type) {
        case core::Type::real:
            return lanes.reals[source.index];
        case core::Type::integer:
            return static_cast<double>(lanes.integers[source.index]);
        case core::Type::natural:
            return static_cast<double>(lanes.naturals[source.index]);
        case core::Type::boolean:
            return lanes.booleans[source.index];
        case core::Type::clock:
            return lanes.clocks[source.index];
        case core::Type::bytes:
        case core::Type::string:
            break;
    }
    return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace master::results
