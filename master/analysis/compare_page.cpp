#include "master/analysis/compare_page.hpp"

#include "master/analysis/page.hpp"
#include "master/analysis/swap/verdict.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace master::analysis {
namespace {

constexpr std::size_t most_overlays = 40;

const results::TableColumn* column_of(const ComparedResult& result, const std::string& name) {
    for (const auto& [own, expected] : result.names)
        if (expected == name) return result.table.find(own);
    return result.table.find(name);
}

/// A real column of a result at the times of the reference.
std::vector<double> resampled(const results::Table& table, const results::TableColumn& column,
                              const std::vector<double>& times) {
    const auto& values = std::get<std::vector<double>>(column.values);
    if (table.time == times) return values;
    std::vector<double> result;
    result.reserve(times.size());
    for (const double t : times)
        result.push_back(results::interpolate(values, results::locate(table.time, t, core::Side::after)));
    return result;
}

const results::SignalDeviation* deviation_of(const ComparedResult& result, const std::string& name) {
    const auto found = std::ranges::find(result.comparison.signals, name, &results::SignalDeviation::name);
    return found == result.comparison.signals.end() ? nullptr : &*found;
}

/// How far the worst result is beyond its tolerance.
double excess(const std::vector<ComparedResult>& results, const std::string& name) {
    double most = 0;
    for (const ComparedResult& result : results)
        if (const auto* deviation = deviation_of(result, name))
            most = std::max(most, deviation->deviation / std::max(deviation->tolerance, 1e-300));
    return most;
}

std::string shown(double value) { return fmt::format("{:.4g}", value); }

}  // namespace

std::string compare_html(const std::string& reference_label, const results::Table& reference,
                         const std::vector<ComparedResult>& results) {
    const bool passed = std::ranges::all_of(results, [](const auto& result) { return result.comparison.passed(); });
    Page page("Comparison", reference_label + " is the reference");
    report::Facts facts{{"outcome", passed ? "within the tolerances" : "outside the tolerances"}};
    for (const ComparedResult& result : results)
        facts.emplace_back(result.label, fmt::format("{} of {} signals outside", result.comparison.violated,
                                                     result.comparison.signals.size()));
    page.facts(facts);
    std::vector<const results::TableColumn*> columns;
    for (const results::TableColumn& column : reference.columns) {
        const bool real = std::holds_alternative<std::vector<double>>(column.values) && !column.constant;
        const bool anywhere = std::ranges::any_of(
            results, [&](const ComparedResult& result) { return deviation_of(result, column.name) != nullptr; });
        if (real && anywhere) columns.push_back(&column);
    }
    std::ranges::stable_sort(columns, std::greater{},
                             [&](const auto* column) { return excess(results, column->name); });
    PageTable table{.columns = {{"signal", false, true},
                                {"unit"},
                                {"result"},
                                {"peak", true},
                                {"at", true},
                                {"rms", true},
                                {"end", true},
                                {"shift in s", true},
                                {"beyond the tube", true},
                                {"tolerance", true},
                                {""}},
                    .rows = {}};
    std::vector<std::pair<std::string, report::Plot>> plots;
    for (const results::TableColumn* column : columns) {
        const auto& expected = std::get<std::vector<double>>(column->values);
        report::Plot plot;
        plot.unit = column->unit;
        plot.series.push_back({reference_label, reference.time, expected, false});
        for (const ComparedResult& result : results) {
            const results::TableColumn* own = column_of(result, column->name);
            const results::SignalDeviation* deviation = deviation_of(result, column->name);
            if (own == nullptr || deviation == nullptr || !std::holds_alternative<std::vector<double>>(own->values))
                continue;
            const std::vector<double> values = resampled(result.table, *own, reference.time);
            const Difference d = difference({reference.time, expected, values});
            table.rows.push_back({column->name, column->unit, result.label, shown(d.peak), shown(d.peak_time) + " s",
                                  shown(d.rms), shown(d.at_end), d.shift ? shown(*d.shift) : "-",
                                  shown(deviation->deviation), shown(deviation->tolerance),
                                  deviation->violated ? "outside" : "within"});
            if (plot.series.size() < report::colours)
                plot.series.push_back(
                    {result.label, result.table.time, std::get<std::vector<double>>(own->values), false});
        }
        if (plots.size() < most_overlays) plots.emplace_back(column->name, std::move(plot));
    }
    page.begin("Differences");
    page.table(table);
    std::vector<std::string> remarks;
    for (const ComparedResult& result : results) {
        for (const std::string& text : result.comparison.problems) remarks.push_back(result.label + ": " + text);
        for (const std::string& text : result.comparison.notes) remarks.push_back(result.label + ": " + text);
    }
    if (!remarks.empty()) page.list(remarks);
    page.begin("Signals");
    page.paragraph("Drag over a plot to enlarge a part of it, double-click to see all of it again.");
    for (const auto& [name, plot] : plots) page.figure(name, plot);
    if (columns.size() > plots.size())
        page.paragraph(fmt::format("{} more signals are not drawn.", columns.size() - plots.size()));
    return page.html();
}

}  // namespace master::analysis
