#pragma once

#include "master/core/unit.hpp"

#include <cstdint>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace master::results {

struct TableColumn {
    std::string name;
    std::string unit;
    core::Value
        values;  // one per row: reals, booleans, strings; integers and naturals only where a double is not exact
    bool constant = false;  // of a file's table of constants, such as a parameter, which other formats do not hold
};

/// Signals over time: a CSV file, a recorded result, a measurement. Time never decreases; equal times are a jump.
struct Table {
    std::string source;  // file name, for messages
    std::vector<double> time;
    std::vector<TableColumn> columns;
    std::vector<std::uint32_t> lines;  // line of each row in a text file; else empty

    [[nodiscard]] const TableColumn* find(std::string_view name) const;
    [[nodiscard]] std::vector<std::string> names() const;
    /// file:line of a row, or the file and the time.
    [[nodiscard]] std::string where(std::size_t row) const;
};

/// Reads a CSV file: a header row whose first name is `time`, then numbers with a decimal dot (also nan and inf),
/// true/false, or text. A second header row may hold units, with `s` below `time`. Comma, semicolon or tab; quotes and
/// spaces around cells, a byte order mark, CRLF, empty lines and lines that begin with # are tolerated. Anything else
/// is an `Error` with file:line:column.
[[nodiscard]] Table read_csv(const std::filesystem::path& file);

/// The same from text; `name` stands in messages in place of the file.
[[nodiscard]] Table parse_csv(std::string_view text, const std::string& name);

/// The rows around an instant. Before the first row the first one holds, after the last row the last one.
struct TablePosition {
    std::size_t low = 0, high = 0;
    double fraction = 0;   // of the way from `low` to `high`, for linear signals
    std::size_t held = 0;  // for signals that keep their value until the next row
};
/// `time` must not be empty.
[[nodiscard]] TablePosition locate(std::span<const double> time, double t, core::Side side);
[[nodiscard]] double interpolate(std::span<const double> values, const TablePosition& position);

/// The table with these real columns as stairs: where one changes from row to row, a row before the change is put in,
/// at its time.
[[nodiscard]] Table held_between_rows(Table table, const std::set<std::string>& columns);

}  // namespace master::results
