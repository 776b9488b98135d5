#include "master/results/table.hpp"

#include "master/base/error.hpp"
#include "master/results/csv_scanner.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <set>
#include <tuple>

namespace master::results {
namespace {

// Integers below 2^53 are exact as doubles; 2^53 may be a rounded one.
constexpr double exact_limit = 9007199254740992.0;

/// What the cells of a column have shown so far.
struct ColumnState {
    std::vector<double> numbers;
    std::uint32_t first_plain_number = 0;  // line; 0 = none yet
    bool all_numbers = true;
    bool all_booleans = true;
    bool beyond_double = false;  // an integer literal that a double cannot hold
    std::optional<CsvCell> first_text;
};

std::optional<double> parse_number(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    double value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end != text.data() + text.size() || text.empty()) return {};
    if (problem == std::errc{}) return value;
    if (problem != std::errc::result_out_of_range) return {};
    // The text is a number too large or too small for a double: what strtod makes of it is the nearest one.
    return std::strtod(std::string(text).c_str(), nullptr);
}

std::optional<bool> parse_boolean(std::string_view text) {
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    if (lower == "true") return true;
    if (lower == "false") return false;
    return {};
}

bool is_integer_literal(std::string_view text) {
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool names_time(std::string_view name) {
    std::string lower(name);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    return lower == "t" || lower.starts_with("time");
}

std::string shown(const CsvCell& cell) {
    constexpr std::size_t longest = 40;
    const std::string text = cell.text();
    return "'" + (text.size() > longest ? text.substr(0, longest) + "..." : text) + "'";
}

class Reader {
public:
    Reader(std::string_view text, const std::string& name) : text_(text), scanner_(text, name) { table_.source = name; }

    Table read() {
        read_header();
        bool more = scanner_.next_row(cells_);
        has_units_ = more && is_unit_row();
        if (has_units_) {
            for (std::size_t i = 0; i < states_.size(); ++i) table_.columns[i].unit = cells_[i + 1].text();
            more = scanner_.next_row(cells_);
        }
        for (; more; more = scanner_.next_row(cells_)) read_row();
        bool needs_text = false;
        for (std::size_t i = 0; i < states_.size(); ++i) needs_text |= !finish_column(i);
        if (needs_text) read_again();
        return std::move(table_);
    }

private:
    void read_header() {
        if (!scanner_.next_row(cells_))
            throw base::Error("bad-table", table_.source + ":1", "the file is empty, expected a header row");
        trailing_separator_ = cells_.size() > 1 && cells_.back().raw.empty() && !cells_.back().quoted;
        if (trailing_separator_) cells_.pop_back();
        if (!names_time(cells_.front().raw))
            throw base::Error("bad-table", scanner_.where(cells_.front()),
                              "found " + shown(cells_.front()) + ", expected a header row whose first name is 'time'");
        std::set<std::string> seen;
        for (std::size_t i = 1; i < cells_.size(); ++i) {
            const std::string name = cells_[i].text();
            if (name.empty()) throw base::Error("bad-table", scanner_.where(cells_[i]), "a column has no name");
            if (!seen.insert(name).second)
                throw base::Error("bad-table", scanner_.where(cells_[i]), "a second column is named '" + name + "'");
            table_.columns.push_back({name, {}, {}});
        }
        states_.resize(table_.columns.size());
    }

    /// A second header row has the unit of time where other rows have a time.
    [[nodiscard]] bool is_unit_row() const {
        return cells_.size() == states_.size() + 1 && (cells_.front().raw == "s" || cells_.front().raw == "[s]");
    }

    void read_row() {
        if (trailing_separator_ && cells_.size() == states_.size() + 2 && cells_.back().raw.empty()) cells_.pop_back();
        if (cells_.size() != states_.size() + 1)
            throw base::Error("bad-table", scanner_.where(cells_.back()),
                              "the row has " + std::to_string(cells_.size()) + " cells, expected " +
                                  std::to_string(states_.size() + 1) + " as in the header");
        read_time(cells_.front());
        for (std::size_t i = 0; i < states_.size(); ++i) read_cell(states_[i], cells_[i + 1]);
    }

    void read_time(const CsvCell& cell) {
        const std::optional<double> t = parse_number(cell.raw);
        if (!t || !std::isfinite(*t))
            throw base::Error("bad-table", scanner_.where(cell),
                              "found " + shown(cell) + ", expected a time in seconds");
        if (!table_.time.empty() && *t < table_.time.back())
            throw base::Error("bad-table", scanner_.where(cell),
                              "the time " + shown(cell) +
                                  " is before that of the row above, expected times that rise or "
                                  "stay (equal times are a jump)");
        table_.time.push_back(*t);
        table_.lines.push_back(cell.line);
    }

    void read_cell(ColumnState& state, const CsvCell& cell) {
        if (const std::optional<double> value = parse_number(cell.raw)) {
            state.numbers.push_back(*value);
            state.all_booleans = false;
            if (state.first_plain_number == 0 && !cell.quoted) state.first_plain_number = cell.line;
            if (std::abs(*value) >= exact_limit && is_integer_literal(cell.raw)) state.beyond_double = true;
            return;
        }
        if (!state.first_text) state.first_text = cell;
        state.all_numbers = false;
        const std::optional<bool> value = parse_boolean(cell.raw);
        if (!value) state.all_booleans = false;
        state.numbers.push_back(value.value_or(false) ? 1 : 0);
    }

    /// Moves a column of numbers or booleans into the table; false when its text must be read again.
    bool finish_column(std::size_t i) {
        ColumnState& state = states_[i];
        if (state.all_numbers && state.beyond_double) return false;
        if (state.all_numbers) {
            table_.columns[i].values = std::move(state.numbers);
            return true;
        }
        if (state.all_booleans) {
            table_.columns[i].values = std::vector<std::uint8_t>(state.numbers.begin(), state.numbers.end());
            return true;
        }
        if (state.first_plain_number == 0) return false;
        throw base::Error("bad-table", scanner_.where(*state.first_text),
                          "found " + shown(*state.first_text) + " in column '" + table_.columns[i].name +
                              "', expected a number with a decimal dot as in line " +
                              std::to_string(state.first_plain_number));
    }

    void read_again() {
        scanner_ = CsvScanner(text_, table_.source);
        for (std::size_t i = 0; i < states_.size(); ++i) {
            if (needs_integers(i)) table_.columns[i].values = std::vector<std::int64_t>();
            if (!states_[i].all_numbers && !states_[i].all_booleans)
                table_.columns[i].values = std::vector<std::string>();
        }
        std::ignore = scanner_.next_row(cells_);
        if (has_units_) std::ignore = scanner_.next_row(cells_);
        while (scanner_.next_row(cells_)) {
            for (std::size_t i = 0; i < states_.size(); ++i) {
                core::Value& values = table_.columns[i].values;
                if (auto* texts = std::get_if<std::vector<std::string>>(&values))
                    texts->push_back(cells_[i + 1].text());
                if (std::holds_alternative<std::vector<std::int64_t>>(values) ||
                    std::holds_alternative<std::vector<std::uint64_t>>(values))
                    read_integer(i, cells_[i + 1].raw);
            }
        }
    }

    [[nodiscard]] bool needs_integers(std::size_t i) const {
        return states_[i].all_numbers && states_[i].beyond_double;
    }

    /// Signed as long as everything fits, then unsigned, then double again.
    void read_integer(std::size_t i, std::string_view text) {
        core::Value& values = table_.columns[i].values;
        if (text.starts_with('+')) text.remove_prefix(1);
        const char* const end = text.data() + text.size();
        if (auto* integers = std::get_if<std::vector<std::int64_t>>(&values)) {
            std::int64_t value = 0;
            if (const auto parsed = std::from_chars(text.data(), end, value);
                parsed.ec == std::errc{} && parsed.ptr == end) {
                integers->push_back(value);
                return;
            }
            if (std::ranges::all_of(*integers, [](std::int64_t old) { return old >= 0; }))
                values = std::vector<std::uint64_t>(integers->begin(), integers->end());
        }
        if (auto* naturals = std::get_if<std::vector<std::uint64_t>>(&values)) {
            std::uint64_t value = 0;
            if (const auto parsed = std::from_chars(text.data(), end, value);
                parsed.ec == std::errc{} && parsed.ptr == end) {
                naturals->push_back(value);
                return;
            }
        }
        values = std::move(states_[i].numbers);
    }

    std::string_view text_;
    CsvScanner scanner_;
    Table table_;
    std::vector<CsvCell> cells_;
    std::vector<ColumnState> states_;
    bool trailing_separator_ = false;
    bool has_units_ = false;
};

}  // namespace

const TableColumn* Table::find(std::string_view name) const {
    const auto found = std::ranges::find(columns, name, &TableColumn::name);
    return found == columns.end() ? nullptr : &*found;
}

std::vector<std::string> Table::names() const {
    std::vector<std::string> result;
    result.reserve(columns.size());
    for (const TableColumn& column : columns) result.push_back(column.name);
    return result;
}

std::string Table::where(std::size_t row) const {
    if (row < lines.size()) return source + ':' + std::to_string(lines[row]);
    return source + ", t = " + std::to_string(time[row]) + " s";
}

Table read_csv(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary | std::ios::ate);
    if (!stream || std::filesystem::is_directory(file))
        throw base::Error("missing-file", file.string(), "there is no such file, expected a CSV file");
    std::string text(static_cast<std::size_t>(stream.tellg()), '\0');
    stream.seekg(0);
    if (!stream.read(text.data(), static_cast<std::streamsize>(text.size())))
        throw base::Error("missing-file", file.string(), "the file cannot be read");
    // A result that grows, or whose run was killed, may end inside a row.
    if (file.stem().extension() == ".partial") text.resize(text.rfind('\n') + 1);
    return parse_csv(text, file.string());
}

Table parse_csv(std::string_view text, const std::string& name) { return Reader(text, name).read(); }

TablePosition locate(std::span<const double> time, double t, core::Side side) {
    const auto after = std::ranges::upper_bound(time, t);
    const auto last = static_cast<std::size_t>(time.size() - 1);
    if (side == core::Side::after) {
        if (after == time.begin()) return {};
        const auto low = static_cast<std::size_t>(after - time.begin() - 1);
        if (low == last) return {last, last, 0, last};
        return {low, low + 1, (t - time[low]) / (time[low + 1] - time[low]), low};
    }
    const auto first = static_cast<std::size_t>(std::lower_bound(time.begin(), after, t) - time.begin());
    if (first == 0) return {};
    if (first == time.size()) return {last, last, 0, last};
    if (time[first] == t) return {first, first, 0, first - 1};
    return {first - 1, first, (t - time[first - 1]) / (time[first] - time[first - 1]), first - 1};
}

double interpolate(std::span<const double> values, const TablePosition& position) {
    const double low = values[position.low];
    // Also keeps infinities and NaN of a neighbour out of a point that does not need it.
    if (position.fraction == 0) return low;
    return low + position.fraction * (values[position.high] - low);
}

Table held_between_rows(Table table, const std::set<std::string>& columns) {
    const auto is_stair = [&](const TableColumn& column) {
        return columns.contains(column.name) && std::holds_alternative<std::vector<double>>(column.values);
    };
    std::vector<std::size_t> changes;  // rows that get one before them
    for (std::size_t row = 1; row < table.time.size(); ++row) {
        const bool changed = std::ranges::any_of(table.columns, [&](const TableColumn& column) {
            if (!is_stair(column)) return false;
            const auto& values = std::get<std::vector<double>>(column.values);
            return values[row] != values[row - 1];
        });
        if (changed && table.time[row] > table.time[row - 1]) changes.push_back(row);
    }
    // What is linear has arrived at the row; everything else is still what it was.
    const auto widened = [&](const auto& values, bool linear) {
        auto result = values;
        result.clear();
        auto next = changes.begin();
        for (std::size_t row = 0; row < values.size(); ++row) {
            if (next != changes.end() && *next == row) {
                result.push_back(values[linear ? row : row - 1]);
                ++next;
            }
            result.push_back(values[row]);
        }
        return result;
    };
    for (TableColumn& column : table.columns) {
        const bool linear = std::holds_alternative<std::vector<double>>(column.values) && !is_stair(column);
        std::visit([&](auto& values) { values = widened(values, linear); }, column.values);
    }
    table.time = widened(table.time, true);
    if (!table.lines.empty()) table.lines = widened(table.lines, true);
    return table;
}

}  // namespace master::results
