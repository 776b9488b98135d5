#pragma once

#include "master/base/time.hpp"
#include "master/core/tap.hpp"
#include "master/results/column.hpp"

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
    std::vector<Column> columns = {};
    base::Timebase timebase = {};
    std::optional<base::Fraction> interval = {};  // exact seconds between rows; every communication point when absent
    bool unit_row = false;                        // CSV: a second header row with the units
    std::vector<Constant> constants = {};         // MAT: beside the columns
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

/// Where the columns lie, without their texts.
[[nodiscard]] std::vector<core::SignalRef> signals_of(std::span<const Column> columns);

}  // namespace master::results
