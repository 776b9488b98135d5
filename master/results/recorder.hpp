#pragma once

#include "master/base/time.hpp"
#include "master/core/tap.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace master::results {

/// What every recorder needs to know.
struct Recording {
    std::filesystem::path folder;  // made if it is missing; the file is results.csv, .h5 or .mat in it
    std::vector<core::Column> columns = {};
    base::Timebase timebase = {};
    std::optional<base::Fraction> interval = {};  // exact seconds between rows; every communication point when absent
};

/// How much of a run a killed process may lose.
inline constexpr std::chrono::seconds flush_period{1};

/// Files are written in blocks of about this size.
inline constexpr std::size_t block_bytes = 1 << 18;

/// Decides which communication points become rows: the first at or after start + k * interval, exactly.
class RowSchedule {
public:
    RowSchedule(base::Timebase timebase, std::optional<base::Fraction> interval);

    [[nodiscard]] bool due(base::Time t) {
        if (t.ticks < next_) return false;
        if (thinned_) plan_next(t);
        return true;
    }

private:
    void plan_next(base::Time t);

    base::Timebase timebase_;
    base::Fraction interval_;
    bool thinned_ = false;
    std::optional<base::Time> origin_;
    std::int64_t next_ = std::numeric_limits<std::int64_t>::min();
};

/// Where a column's value lies, without its texts: rows are gathered from a dense array of these.
struct Source {
    std::uint32_t index = 0;
    core::Type type = core::Type::real;
    bool input = false;

    [[nodiscard]] const core::Lanes& lanes(const core::Signals& signals) const {
        return input ? signals.inputs : signals.outputs;
    }
};
[[nodiscard]] std::vector<Source> sources_of(std::span<const core::Column> columns);

/// A numeric value (every type but bytes and string) as a double.
[[nodiscard]] double number(const Source& source, const core::Signals& signals);

}  // namespace master::results
