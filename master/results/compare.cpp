#include "master/results/compare.hpp"

#include "master/base/diagnostics.hpp"
#include "master/base/error.hpp"
#include "master/base/patterns.hpp"
#include "master/base/printable.hpp"
#include "master/results/csv_scanner.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>

namespace master::results {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Holds every integer of 64 bits, and every double.
using Wide = long double;
static_assert(std::numeric_limits<Wide>::digits >= 64);

/// A numeric column over time: `Wide` where a double is not exact.
template <class Number>
struct Signal {
    std::span<const double> time;
    std::vector<Number> values;
    bool held = false;

    [[nodiscard]] Number at(double t, core::Side side) const {
        const TablePosition position = locate(time, t, side);
        if (held) return values[position.held];
        const Number low = values[position.low];
        // Also keeps infinities and NaN of a neighbour out of a point that does not need it.
        return position.fraction == 0 ? low : low + position.fraction * (values[position.high] - low);
    }
};

bool is_numeric(const core::Value& values) {
    return std::visit([]<class Element>(const std::vector<Element>&) { return std::is_arithmetic_v<Element>; }, values);
}

bool is_beyond_double(const core::Value& values) {
    return std::holds_alternative<std::vector<std::int64_t>>(values) ||
           std::holds_alternative<std::vector<std::uint64_t>>(values);
}

template <class Number>
std::vector<Number> numbers_of(const core::Value& values) {
    return std::visit(
        []<class Element>(const std::vector<Element>& elements) -> std::vector<Number> {
            if constexpr (std::is_arithmetic_v<Element>) {
                std::vector<Number> numbers;
                numbers.reserve(elements.size());
                for (const Element element : elements) numbers.push_back(static_cast<Number>(element));
                return numbers;
            } else {
                return {};
            }
        },
        values);
}

template <class Number>
bool whole(const std::vector<Number>& values) {
    return std::ranges::all_of(values, [](Number value) { return value == std::floor(value); });
}

/// As people read it, in one line of limited length.
template <class Element>
std::string shown_value(const Element& value) {
    constexpr std::size_t longest = 40;
    if constexpr (std::is_same_v<Element, std::string>) {
        return "'" + base::printable(value.size() > longest ? value.substr(0, longest) + "..." : value) + "'";
    } else if constexpr (std::is_same_v<Element, core::ByteString>) {
        std::string text = fmt::format("{} bytes", value.size());
        for (std::size_t i = 0; i < std::min<std::size_t>(value.size(), 8); ++i)
            text += fmt::format("{}{:02x}", i == 0 ? ": " : " ", value[i]);
        return text + (value.size() > 8 ? " ..." : "");
    } else if constexpr (std::is_same_v<Element, Wide>) {
        return value == std::floor(value) && std::isfinite(value) ? fmt::format("{:.0f}", value)
                                                                  : fmt::format("{:.8g}", value);
    } else {
        return fmt::format("{}", value);
    }
}

/// The smallest and largest value of a signal within a window that moves forward in time.
template <class Number>
class Band {
public:
    explicit Band(const Signal<Number>& signal) : signal_(signal) {}

    struct Limits {
        Number low = infinity, high = -infinity;
        void include(Number value) {
            low = std::min(low, value);
            high = std::max(high, value);
        }
    };

    /// Times must not decrease from call to call. With no width the value at `t` on that side.
    Limits around(double t, core::Side side, double width) {
        Limits limits;
        if (width == 0) {
            limits.include(signal_.at(t, side));
            return limits;
        }
        limits.include(signal_.at(t - width, core::Side::before));
        limits.include(signal_.at(t - width, core::Side::after));
        limits.include(signal_.at(t + width, core::Side::before));
        limits.include(signal_.at(t + width, core::Side::after));
        for (; next_ < signal_.time.size() && signal_.time[next_] <= t + width; ++next_) {
            push(lows_, [](Number a, Number b) { return a <= b; });
            push(highs_, [](Number a, Number b) { return a >= b; });
        }
        drop(lows_, low_begin_, t - width);
        drop(highs_, high_begin_, t - width);
        if (low_begin_ < lows_.size()) limits.include(signal_.values[lows_[low_begin_]]);
        if (high_begin_ < highs_.size()) limits.include(signal_.values[highs_[high_begin_]]);
        return limits;
    }

private:
    /// Keeps only rows that can still become the extreme of a later window.
    template <class Better>
    void push(std::vector<std::size_t>& rows, Better better) {
        const std::size_t begin = &rows == &lows_ ? low_begin_ : high_begin_;
        while (rows.size() > begin && better(signal_.values[next_], signal_.values[rows.back()])) rows.pop_back();
        rows.push_back(next_);
    }

    void drop(const std::vector<std::size_t>& rows, std::size_t& begin, double from) const {
        while (begin < rows.size() && signal_.time[rows[begin]] < from) ++begin;
    }

    const Signal<Number>& signal_;
    std::size_t next_ = 0;
    std::vector<std::size_t> lows_, highs_;
    std::size_t low_begin_ = 0, high_begin_ = 0;
};

/// 0 inside the band; NaN agrees only with NaN, an infinity only with the same one.
template <class Number>
double distance(Number value, const typename Band<Number>::Limits& band, Number expected) {
    if (std::isnan(value) || std::isnan(expected)) return std::isnan(value) == std::isnan(expected) ? 0 : infinity;
    if (value >= band.low && value <= band.high) return 0;
    const Number below = band.low - value;
    const Number above = value - band.high;
    return static_cast<double>(std::max(below, above));
}

std::vector<double> union_of(std::span<const double> a, std::span<const double> b) {
    const double begin = std::max(a.front(), b.front());
    const double end = std::min(a.back(), b.back());
    std::vector<double> all;
    std::ranges::merge(a, b, std::back_inserter(all));
    std::erase_if(all, [&](double t) { return t < begin || t > end; });
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

template <class Number>
SignalDeviation compare_numbers(const Signal<Number>& result, const Signal<Number>& reference,
                                std::span<const double> times, const CompareOptions& options) {
    SignalDeviation worst;
    double largest = 0;
    for (const Number value : reference.values) {
        if (std::isfinite(value)) largest = std::max(largest, static_cast<double>(std::abs(value)));
    }
    worst.tolerance = options.absolute + options.relative * largest;
    worst.deviation = -1;
    Band<Number> band(reference);
    for (const double t : times) {
        for (const core::Side side : {core::Side::before, core::Side::after}) {
            const Number value = result.at(t, side);
            const Number expected = reference.at(t, side);
            const double deviation = distance<Number>(value, band.around(t, side, options.time), expected);
            if (deviation <= worst.deviation) continue;
            worst.deviation = deviation;
            worst.time = t;
            worst.value = static_cast<double>(value);
            worst.expected = static_cast<double>(expected);
            if constexpr (std::is_same_v<Number, Wide>) {
                worst.value_text = shown_value(value);
                worst.expected_text = shown_value(expected);
            }
        }
    }
    worst.deviation = std::max(worst.deviation, 0.0);
    worst.violated = !(worst.deviation <= worst.tolerance);
    return worst;
}

/// Text and binary values: at each time of both, the value must occur in the reference within the time tolerance.
template <class Element>
SignalDeviation compare_texts(const Table& result, const std::vector<Element>& values, const Table& reference,
                              const std::vector<Element>& expected, std::span<const double> times, double width) {
    SignalDeviation worst;
    for (const double t : times) {
        const Element& value = values[locate(result.time, t, core::Side::after).held];
        const std::size_t first = locate(reference.time, t - width, core::Side::after).held;
        const std::size_t last = locate(reference.time, t + width, core::Side::after).held;
        const auto begin = expected.begin() + static_cast<std::ptrdiff_t>(first);
        if (std::find(begin, expected.begin() + static_cast<std::ptrdiff_t>(last + 1), value) !=
            expected.begin() + static_cast<std::ptrdiff_t>(last + 1))
            continue;
        worst.deviation = infinity;
        worst.time = t;
        worst.violated = true;
        worst.value_text = shown_value(value);
        worst.expected_text = shown_value(expected[locate(reference.time, t, core::Side::after).held]);
        return worst;
    }
    return worst;
}

template <class Number>
SignalDeviation compare_as(const Table& result, const TableColumn& column, const Table& reference,
                           const TableColumn& expected, std::span<const double> times, const CompareOptions& options) {
    std::vector<Number> a = numbers_of<Number>(column.values);
    std::vector<Number> b = numbers_of<Number>(expected.values);
    const bool held = whole(a) && whole(b);
    return compare_numbers<Number>({result.time, std::move(a), held}, {reference.time, std::move(b), held}, times,
                                   options);
}

/// Text against numbers, say: what the first rows hold tells them apart.
SignalDeviation of_different_kinds(const TableColumn& column, const TableColumn& expected) {
    const auto first = [](const auto& values) { return values.empty() ? std::string{} : shown_value(values.front()); };
    SignalDeviation different;
    different.deviation = infinity;
    different.violated = true;
    different.value_text = std::visit(first, column.values);
    different.expected_text = std::visit(first, expected.values);
    return different;
}

SignalDeviation compare_columns(const Table& result, const TableColumn& column, const Table& reference,
                                const TableColumn& expected, std::span<const double> times,
                                const CompareOptions& options) {
    if (is_numeric(column.values) && is_numeric(expected.values)) {
        const bool wide = is_beyond_double(column.values) || is_beyond_double(expected.values);
        return wide ? compare_as<Wide>(result, column, reference, expected, times, options)
                    : compare_as<double>(result, column, reference, expected, times, options);
    }
    if (const auto* texts = std::get_if<std::vector<std::string>>(&column.values)) {
        if (const auto* others = std::get_if<std::vector<std::string>>(&expected.values))
            return compare_texts(result, *texts, reference, *others, times, options.time);
    }
    if (const auto* bytes = std::get_if<std::vector<core::ByteString>>(&column.values)) {
        if (const auto* others = std::get_if<std::vector<core::ByteString>>(&expected.values))
            return compare_texts(result, *bytes, reference, *others, times, options.time);
    }
    return of_different_kinds(column, expected);
}

void check_range(const Table& result, const Table& reference, double tolerance, Comparison& comparison) {
    if (result.time.front() > reference.time.front() + tolerance)
        comparison.problems.push_back(fmt::format("the result begins at t = {} s, the reference at {} s",
                                                  result.time.front(), reference.time.front()));
    if (result.time.back() < reference.time.back() - tolerance)
        comparison.problems.push_back(fmt::format("the result ends at t = {} s, the reference at {} s",
                                                  result.time.back(), reference.time.back()));
    if (result.time.back() > reference.time.back() + tolerance)
        comparison.notes.push_back(fmt::format("the result goes on until t = {} s, the reference ends at {} s",
                                               result.time.back(), reference.time.back()));
}

void sort_and_count(Comparison& comparison) {
    const auto excess = [](const SignalDeviation& signal) {
        if (signal.tolerance > 0) return signal.deviation / signal.tolerance;
        return signal.deviation > 0 ? infinity : 0.0;
    };
    std::ranges::stable_sort(comparison.signals, [&](const SignalDeviation& a, const SignalDeviation& b) {
        return a.violated != b.violated ? a.violated : excess(a) > excess(b);
    });
    comparison.violated =
        static_cast<std::size_t>(std::ranges::count(comparison.signals, true, &SignalDeviation::violated));
}

const TableColumn* find_or_report(const Table& result, const TableColumn& expected, const std::string& name,
                                  Comparison& comparison) {
    const TableColumn* column = result.find(name);
    if (column == nullptr && !expected.constant)
        comparison.problems.push_back("the result has no signal '" + name + "'" +
                                      base::did_you_mean(name, result.names()));
    return column;
}

template <class Element>
bool same_bits(const Element& a, const Element& b) {
    if constexpr (std::is_same_v<Element, double>) {
        return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
    } else {
        return a == b;
    }
}

template <class Element>
std::optional<std::size_t> first_difference(const std::vector<Element>& a, const std::vector<Element>& b) {
    for (std::size_t row = 0; row < std::min(a.size(), b.size()); ++row) {
        if (!same_bits(a[row], b[row])) return row;
    }
    return {};
}

}  // namespace

Comparison compare(const Table& result, const Table& reference, const CompareOptions& options) {
    Comparison comparison;
    if (result.time.empty() || reference.time.empty()) {
        comparison.problems.push_back((result.time.empty() ? result.source : reference.source) + " has no rows");
        return comparison;
    }
    check_range(result, reference, options.time, comparison);
    const std::vector<double> times = union_of(result.time, reference.time);
    std::map<std::string, std::string> to_result;
    for (const auto& [in_result, in_reference] : options.names) {
        if (reference.find(in_reference) == nullptr)
            throw base::Error("unknown-name", reference.source,
                              "the name map asks for '" + in_reference + "', which is not there" +
                                  base::did_you_mean(in_reference, reference.names()));
        to_result[in_reference] = in_result;
    }
    const std::vector<std::string> all = reference.names();
    std::vector<std::size_t> chosen(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) chosen[i] = i;
    if (!options.only.empty()) chosen = base::select(all, options.only);
    for (const std::size_t i : chosen) {
        const TableColumn& expected = reference.columns[i];
        const auto mapped = to_result.find(expected.name);
        const TableColumn* column =
            find_or_report(result, expected, mapped == to_result.end() ? expected.name : mapped->second, comparison);
        if (column == nullptr) continue;
        SignalDeviation deviation = compare_columns(result, *column, reference, expected, times, options);
        deviation.name = expected.name;
        comparison.signals.push_back(std::move(deviation));
    }
    sort_and_count(comparison);
    return comparison;
}

Comparison compare_bits(const Table& result, const Table& reference) {
    Comparison comparison;
    if (result.time.size() != reference.time.size())
        comparison.problems.push_back(
            fmt::format("the result has {} rows, the reference {}", result.time.size(), reference.time.size()));
    if (const auto row = first_difference(result.time, reference.time))
        comparison.problems.push_back(fmt::format("row {} is at t = {} s, in the reference at {} s", *row + 1,
                                                  result.time[*row], reference.time[*row]));
    for (const TableColumn& expected : reference.columns) {
        const TableColumn* column = find_or_report(result, expected, expected.name, comparison);
        if (column == nullptr) continue;
        SignalDeviation signal;
        signal.name = expected.name;
        if (column->values.index() != expected.values.index()) {
            signal = of_different_kinds(*column, expected);
            signal.name = expected.name;
        } else {
            std::visit(
                [&]<class Element>(const std::vector<Element>& values) {
                    const auto& others = std::get<std::vector<Element>>(expected.values);
                    const auto row = first_difference(values, others);
                    if (!row) return;
                    signal.violated = true;
                    signal.time = reference.time[*row];
                    signal.deviation = infinity;
                    if constexpr (std::is_arithmetic_v<Element>) {
                        signal.value = static_cast<double>(values[*row]);
                        signal.expected = static_cast<double>(others[*row]);
                        signal.deviation = static_cast<double>(
                            std::abs(static_cast<Wide>(values[*row]) - static_cast<Wide>(others[*row])));
                    }
                    signal.value_text = shown_value(values[*row]);
                    signal.expected_text = shown_value(others[*row]);
                },
                column->values);
        }
        comparison.signals.push_back(std::move(signal));
    }
    for (const TableColumn& column : result.columns) {
        if (reference.find(column.name) == nullptr && !column.constant)
            comparison.problems.push_back("the reference has no signal '" + column.name + "'");
    }
    sort_and_count(comparison);
    return comparison;
}

std::string Comparison::text() const {
    constexpr std::size_t shown = 20;
    std::string out;
    for (const std::string& problem : problems) out += problem + '\n';
    for (const std::string& note : notes) out += "note: " + note + '\n';
    if (!signals.empty())
        out += fmt::format("{:<40} {:>12} {:>12} {:>12} {:>14} {:>14}\n", "signal", "deviation", "tolerance", "time",
                           "value", "expected");
    for (std::size_t i = 0; i < signals.size() && (i < shown || signals[i].violated); ++i) {
        const SignalDeviation& signal = signals[i];
        const auto cell = [](const std::string& text, double value) {
            return text.empty() ? fmt::format("{:.8g}", value) : text;
        };
        out += fmt::format("{:<40} {:>12.4g} {:>12.4g} {:>12.6g} {:>14} {:>14}{}\n", signal.name, signal.deviation,
                           signal.tolerance, signal.time, cell(signal.value_text, signal.value),
                           cell(signal.expected_text, signal.expected), signal.violated ? "  <-- violated" : "");
    }
    if (signals.size() > shown && violated < signals.size())
        out += fmt::format("({} signals within tolerance, the worst are shown)\n", signals.size() - violated);
    out += passed() ? fmt::format("all {} signals agree\n", signals.size())
                    : fmt::format("{} of {} signals violated, {} other problems\n", violated, signals.size(),
                                  problems.size());
    return out;
}

NameMap read_name_map(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream || std::filesystem::is_directory(file))
        throw base::Error("missing-file", file.string(), "there is no such file, expected a CSV file of names");
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    CsvScanner scanner(text, file.string());
    std::vector<CsvCell> cells;
    NameMap map;
    while (scanner.next_row(cells)) {
        if (cells.size() != 2 && cells.size() != 4)
            throw base::Error("bad-table", scanner.where(cells.front()),
                              "the row has " + std::to_string(cells.size()) +
                                  " cells, expected the name in the result and the name in the reference, then the "
                                  "units of both or nothing");
        if (!map.names.emplace(cells[0].text(), cells[1].text()).second)
            throw base::Error("bad-table", scanner.where(cells[0]), "'" + cells[0].text() + "' is mapped twice");
        if (cells.size() == 2) continue;
        map.result_units[cells[0].text()] = cells[2].text();
        map.expected_units[cells[1].text()] = cells[3].text();
    }
    return map;
}

}  // namespace master::results
