#pragma once

#include "master/base/block_file.hpp"
#include "master/base/diagnostics.hpp"
#include "master/base/time.hpp"
#include "master/core/tap.hpp"
#include "master/results/column.hpp"
#include "master/results/unwritten_rows.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace master::results {

/// What viewers draw, beside the columns: MCAP.
struct RecordedScene {
    struct Frames {
        std::string topic;
        std::vector<std::string> names;
        core::SignalRef poses;  // of the first: seven reals each, x y z qx qy qz qw in the world
    };
    struct Cloud {
        std::string topic, frame;
        core::SignalRef points;  // bytes as in interfaces/point_cloud, in that frame
    };
    std::vector<Frames> frames;
    std::vector<Cloud> clouds;
};

/// What every recorder needs to know.
struct Recording {
    std::filesystem::path folder;  // made if it is missing; the file is results.csv, .h5, ... in it, once complete
    std::vector<Column> columns = {};
    base::Timebase timebase = {};
    std::optional<base::Fraction> interval = {};  // exact seconds between rows; every communication point when absent
    bool unit_row = false;                        // CSV: a second header row with the units
    std::vector<Constant> constants = {};         // MAT: beside the columns
    RecordedScene scene = {};                     // MCAP
    UnwrittenRows* unwritten = nullptr;           // where rows wait for their file; null: in memory of the recorder
    base::Diagnostics* diagnostics = nullptr;     // who is told of values that the file does not hold as they were
};

/// How much of a run a killed process may lose.
inline constexpr std::chrono::milliseconds flush_period{250};

/// Files are written in blocks of about this size.
inline constexpr std::size_t block_bytes = 1 << 18;

/// Decides which communication points become rows: the first at or after start + k * interval, exactly, and the last
/// of the run.
class RowSchedule {
public:
    RowSchedule(base::Timebase timebase, std::optional<base::Fraction> interval);

    [[nodiscard]] bool due(base::Time t) {
        if (t.ticks < next_) return false;
        if (thinned_) plan_next(t);
        return true;
    }
    /// True where the run ends at a point that was not due.
    [[nodiscard]] bool lacks(base::Time last) const { return thinned_ && row_ != last; }

private:
    void plan_next(base::Time t);

    base::Timebase timebase_;
    base::Fraction interval_;
    bool thinned_ = false;
    std::optional<base::Time> origin_, row_;  // the first and the latest row
    std::int64_t next_ = std::numeric_limits<std::int64_t>::min();
};

/// The name of a result while it grows: results.partial.csv for results.csv.
[[nodiscard]] std::filesystem::path partial_name(const std::filesystem::path& file);

/// A result file as it grows: it has its name when it is complete.
class GrowingFile {
public:
    GrowingFile(const Recording& recording, const char* name);

    [[nodiscard]] const std::filesystem::path& path() const { return partial_; }
    /// Its name once it is complete.
    [[nodiscard]] const std::filesystem::path& name() const { return final_; }
    [[nodiscard]] UnwrittenRows& rows() { return *rows_; }
    /// The file is there, and must keep its name until it gets the other one.
    void created();
    /// Throws `Error` where another file has got the name.
    void check_name() const { base::check_name(absolute_, identity_); }
    /// Gives the file its name.
    void complete();

private:
    std::filesystem::path final_, partial_;
    std::filesystem::path absolute_;  // of what grows: a unit may change the working directory
    base::FileIdentity identity_;
    std::optional<UnwrittenRows> own_;
    UnwrittenRows* rows_;
};

/// Values that a file does not hold as they were: counted while rows are written, told once when it is complete.
class AlteredValues {
public:
    explicit AlteredValues(const Recording& recording);

    void add(std::size_t column) { ++counts_[column]; }
    /// One that is no column.
    void add(const Constant& constant);
    /// `said` is what became of them and what else can be done, after "12 values of 'a.y'".
    void tell(const std::filesystem::path& file, const std::string& said) const;

private:
    std::vector<std::string> names_;
    std::vector<std::uint64_t> counts_;
    base::Diagnostics* diagnostics_;
};

/// What `AlteredValues` says of texts in a file that must be UTF-8.
inline constexpr const char* no_utf8 =
    "held bytes that are no UTF-8, for which U+FFFD stands; --format hdf5 keeps them";

/// Where the columns lie, without their texts.
[[nodiscard]] std::vector<core::SignalRef> signals_of(std::span<const Column> columns);

}  // namespace master::results
