#pragma once

#include "master/report/report_file.hpp"
#include "master/results/column.hpp"
#include "master/results/table.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace master::report {

struct Series {
    std::string label;
    std::vector<double> time, values;
    bool held = false;  // drawn as steps
};

/// One diagram over time; all series share the unit.
struct Plot {
    std::string unit;
    std::vector<Series> series;
};

/// The diagrams of one component.
struct PlotGroup {
    std::string title;
    std::vector<Plot> plots;
};

/// Keeps the recorded columns of a result and puts them into the units that people want to see.
void show_units(results::Table& table, std::span<const results::Column> columns);

/// A signal that never changed.
struct ConstantSignal {
    std::string name, value, unit;
};
/// Takes columns of numbers that hold one value out of a table.
[[nodiscard]] std::vector<ConstantSignal> take_constants(results::Table& table);

/// Diagrams of a result's numeric columns: grouped by component, then by unit; at most `most` signals in all, taken
/// evenly from the components. `components` are the paths that signals belong to; without one the name up to its first
/// dot.
[[nodiscard]] std::vector<PlotGroup> plots_of(const results::Table& table, std::span<const std::string> components,
                                              std::size_t most);

/// The diagrams that a system wishes for; signals that were not recorded are left out.
[[nodiscard]] std::vector<PlotGroup> plots_of(const results::Table& table, std::span<const WishedPlot> wishes);

/// An SVG element. Colours are CSS classes (`line0` ...), so that the page decides about light and dark.
[[nodiscard]] std::string svg(const Plot& plot);

/// Round numbers (1, 2 or 5 times a power of ten) that cover a range.
struct Ticks {
    double first = 0, step = 1;
    int count = 0;
};
[[nodiscard]] Ticks ticks_for(double low, double high, int about);

/// How many line colours there are; a diagram never has more series.
inline constexpr std::size_t colours = 6;

}  // namespace master::report
