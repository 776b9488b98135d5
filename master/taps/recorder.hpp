#pragma once

#include "master/tap.hpp"
#include "master/time.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace master::taps {

/// What every recorder needs to know.
struct Recording {
    std::filesystem::path folder;  // made if it is missing; the file is results.csv, .h5 or .mat in it
    std::vector<Column> columns = {};
    Timebase timebase = {};
    std::optional<Fraction> interval = {};  // exact seconds between rows; every communication point when absent
};

/// How much of a run a killed process may lose.
inline constexpr std::chrono::seconds flush_period{1};

/// Decides which communication points become rows: the first at or after start + k * interval, exactly.
class RowSchedule {
public:
    RowSchedule(Timebase timebase, std::optional<Fraction> interval);

    [[nodiscard]] bool due(Time t) {
        if (t.ticks < next_) return false;
        if (thinned_) plan_next(t);
        return true;
    }

private:
    void plan_next(Time t);

    Timebase timebase_;
    Fraction interval_;
    bool thinned_ = false;
    std::optional<Time> origin_;
    std::int64_t next_ = std::numeric_limits<std::int64_t>::min();
};

/// Where a column's value lies, without its texts: rows are gathered from a dense array of these.
struct Source {
    std::uint32_t index = 0;
    Type type = Type::real;
    bool input = false;

    [[nodiscard]] const Lanes& lanes(const Signals& signals) const { return input ? signals.inputs : signals.outputs; }
};
[[nodiscard]] std::vector<Source> sources_of(std::span<const Column> columns);

/// A numeric value (every type but bytes and string) as a double.
[[nodiscard]] double number(const Source& source, const Signals& signals);

}  // namespace master::taps
