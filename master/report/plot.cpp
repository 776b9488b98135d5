#include "master/report/plot.hpp"

#include "master/base/patterns.hpp"
#include "master/base/printable.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <map>

namespace master::report {
namespace {

// In units of the SVG's own coordinates.
constexpr double plot_width = 540, plot_height = 230;
constexpr double left = 54, right = 10, top = 20, bottom = 38;
constexpr double inner_width = plot_width - left - right;
constexpr double inner_height = plot_height - top - bottom;

struct Axis {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();

    void include(double value) {
        if (!std::isfinite(value)) return;
        low = std::min(low, value);
        high = std::max(high, value);
    }
    [[nodiscard]] bool empty() const { return low > high; }
    /// A range of some width, with a little air.
    void widen(double margin) {
        if (empty()) {
            low = 0;
            high = 1;
        }
        const double span = high - low;
        const double smallest = 1e-9 * std::max(std::abs(low), std::abs(high));
        const double air = span > smallest ? margin * span : std::max(0.1 * std::abs(high), 0.5);
        if (margin == 0 && span > smallest) return;
        low -= air;
        high += air;
    }
    [[nodiscard]] double part(double value) const { return (value - low) / (high - low); }
};

double x_of(const Axis& axis, double t) { return left + inner_width * axis.part(t); }
double y_of(const Axis& axis, double value) { return top + inner_height * (1 - axis.part(value)); }

/// A power of ten, a multiple of three, that all tick labels of an axis share; 0 where plain numbers are readable.
int common_exponent(const Axis& axis) {
    const double largest = std::max(std::abs(axis.low), std::abs(axis.high));
    if (largest >= 1e-2 && largest < 1e5) return 0;
    return 3 * static_cast<int>(std::floor(std::log10(largest) / 3));
}

std::string tick_label(double value, double step) {
    const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 12);
    const std::string text = fmt::format("{:.{}f}", value, decimals);
    // No minus before a zero; a real minus sign before the rest.
    if (text.find_first_not_of("-0.") == std::string::npos) return text.starts_with('-') ? text.substr(1) : text;
    return text.starts_with('-') ? "\u2212" + text.substr(1) : text;
}

/// Builds the `d` attribute of a path; NaN and infinities leave gaps.
class Path {
public:
    void to(double x, double y) {
        if (!std::isfinite(y)) {
            pen_down_ = false;
            return;
        }
        fmt::format_to(std::back_inserter(d_), "{}{:.1f} {:.1f}", pen_down_ ? 'L' : 'M', x, y);
        pen_down_ = true;
    }
    [[nodiscard]] const std::string& d() const { return d_; }

private:
    std::string d_;
    bool pen_down_ = false;
};

/// Every point, or first, lowest, highest and last of each column of pixels where there are more.
std::string path_of(const Series& series, const Axis& time, const Axis& values) {
    Path path;
    const std::size_t count = std::min(series.time.size(), series.values.size());
    const auto y = [&](std::size_t i) {
        return std::isfinite(series.values[i]) ? y_of(values, series.values[i])
                                               : std::numeric_limits<double>::quiet_NaN();
    };
    if (count <= 2 * static_cast<std::size_t>(inner_width)) {
        for (std::size_t i = 0; i < count; ++i) {
            const double x = x_of(time, series.time[i]);
            if (series.held && i > 0 && std::isfinite(y(i - 1))) path.to(x, y(i - 1));
            path.to(x, y(i));
        }
        return path.d();
    }
    for (std::size_t i = 0; i < count;) {
        const double column = std::floor(x_of(time, series.time[i]));
        std::size_t lowest = i;
        std::size_t highest = i;
        std::size_t last = i;
        bool gap = false;
        for (std::size_t k = i; k < count && std::floor(x_of(time, series.time[k])) == column; ++k) {
            last = k;
            gap = gap || !std::isfinite(series.values[k]);
            if (series.values[k] < series.values[lowest]) lowest = k;
            if (series.values[k] > series.values[highest]) highest = k;
        }
        path.to(column, y(i));
        if (std::min(lowest, highest) != i) path.to(column + 0.5, y(std::min(lowest, highest)));
        if (std::max(lowest, highest) != i) path.to(column + 0.5, y(std::max(lowest, highest)));
        if (gap) path.to(column, std::numeric_limits<double>::quiet_NaN());
        if (last != i) path.to(column + 1, y(last));
        i = last + 1;
    }
    return path.d();
}

std::string grid(const Axis& time, const Axis& values, const std::string& unit) {
    std::string out;
    const auto text = [&](double x, double y, const char* kind, const std::string& content) {
        fmt::format_to(std::back_inserter(out), "<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">{}</text>", x, y, kind,
                       content);
    };
    const Ticks across = ticks_for(time.low, time.high, 7);
    for (int i = 0; i < across.count; ++i) {
        const double t = across.first + i * across.step;
        const double x = x_of(time, t);
        fmt::format_to(std::back_inserter(out), "<path class=\"grid\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>", x, top,
                       plot_height - bottom);
        text(x, plot_height - bottom + 15, "tick middle", tick_label(t, across.step));
    }
    const int exponent = common_exponent(values);
    const double scale = std::pow(10.0, exponent);
    const Ticks up = ticks_for(values.low / scale, values.high / scale, 5);
    for (int i = 0; i < up.count; ++i) {
        const double value = up.first + i * up.step;
        const double y = y_of(values, value * scale);
        fmt::format_to(std::back_inserter(out), "<path class=\"grid\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>", left, y,
                       plot_width - right);
        text(left - 7, y + 3.5, "tick end", tick_label(value, up.step));
    }
    fmt::format_to(std::back_inserter(out), "<path class=\"axis\" d=\"M{0:.1f} {1:.1f}V{2:.1f}H{3:.1f}\"/>", left, top,
                   plot_height - bottom, plot_width - right);
    text(left + inner_width / 2, plot_height - 6, "label middle", "time in s");
    std::string label = unit.empty() ? "" : base::printable_html(unit);
    if (exponent != 0)
        label =
            fmt::format("10<tspan dy=\"-4\" font-size=\"8\">{}</tspan><tspan dy=\"4\"> {}</tspan>", exponent, label);
    text(4, 12, "label", label);
    return out;
}

std::string component_of(const std::string& name, std::span<const std::string> components) {
    std::string_view best;
    for (const std::string& component : components) {
        const bool inside =
            name.size() > component.size() && name.starts_with(component) && name[component.size()] == '.';
        if (inside && component.size() > best.size()) best = component;
    }
    if (!best.empty()) return std::string(best);
    const std::size_t dot = name.find('.');
    return dot == std::string::npos ? std::string() : name.substr(0, dot);
}

std::vector<double> numbers(const core::Value& values) {
    return std::visit(
        []<class Element>(const std::vector<Element>& elements) {
            std::vector<double> result;
            if constexpr (std::is_arithmetic_v<Element>) {
                for (const Element element : elements) result.push_back(static_cast<double>(element));
            }
            return result;
        },
        values);
}

/// Signals that hold only whole numbers and few of them are states, counters and switches.
bool looks_discrete(const std::vector<double>& values) {
    return std::ranges::all_of(values,
                               [](double value) { return value == std::floor(value) && std::abs(value) < 1000; });
}

/// One diagram per unit, or more where a unit has more signals than there are colours.
PlotGroup group_of(const std::string& title, std::string_view prefix, const results::Table& table,
                   std::span<const results::TableColumn* const> columns) {
    PlotGroup group{title, {}};
    std::map<std::string, std::size_t> plot_of_unit;
    for (const results::TableColumn* column : columns) {
        const auto known = plot_of_unit.find(column->unit);
        if (known == plot_of_unit.end() || group.plots[known->second].series.size() == colours) {
            plot_of_unit[column->unit] = group.plots.size();
            group.plots.push_back({column->unit, {}});
        }
        std::vector<double> values = numbers(column->values);
        const bool held = looks_discrete(values);
        const std::string label = column->name.starts_with(prefix) ? column->name.substr(prefix.size()) : column->name;
        group.plots[plot_of_unit[column->unit]].series.push_back({label, table.time, std::move(values), held});
    }
    return group;
}

}  // namespace

std::vector<PlotGroup> plots_of(const results::Table& table, std::span<const WishedPlot> wishes) {
    std::vector<PlotGroup> groups;
    for (const WishedPlot& wish : wishes) {
        std::vector<const results::TableColumn*> columns;
        for (const std::string& pattern : wish.patterns) {
            for (const results::TableColumn& column : table.columns) {
                if (base::matches(pattern, column.name) && !numbers(column.values).empty()) columns.push_back(&column);
            }
        }
        PlotGroup group = group_of(wish.title, {}, table, columns);
        if (!group.plots.empty()) groups.push_back(std::move(group));
    }
    return groups;
}

void show_units(results::Table& table, std::span<const results::Column> columns) {
    std::map<std::string_view, const results::Column*> recorded;
    for (const results::Column& column : columns) recorded[column.name] = &column;
    std::erase_if(table.columns, [&](const results::TableColumn& column) { return !recorded.contains(column.name); });
    for (results::TableColumn& column : table.columns) {
        const results::Column& known = *recorded[column.name];
        column.unit = known.unit;
        auto* values = std::get_if<std::vector<double>>(&column.values);
        if (known.shown.name.empty() || values == nullptr) continue;
        column.unit = known.shown.name;
        for (double& value : *values) value = known.shown.gain * value + known.shown.offset;
    }
}

std::vector<ConstantSignal> take_constants(results::Table& table) {
    std::vector<ConstantSignal> constants;
    if (table.time.size() < 2) return constants;
    std::erase_if(table.columns, [&](const results::TableColumn& column) {
        const std::vector<double> values = numbers(column.values);
        const bool constant =
            !values.empty() && std::ranges::all_of(values, [&](double value) { return value == values.front(); });
        if (constant) constants.push_back({column.name, fmt::format("{:.6g}", values.front()), column.unit});
        return constant;
    });
    return constants;
}

std::vector<PlotGroup> plots_of(const results::Table& table, std::span<const std::string> components,
                                std::size_t most) {
    std::vector<std::string> order;
    std::map<std::string, std::vector<const results::TableColumn*>> by_component;
    for (const results::TableColumn& column : table.columns) {
        if (numbers(column.values).empty()) continue;
        const std::string component = component_of(column.name, components);
        if (!by_component.contains(component)) order.push_back(component);
        by_component[component].push_back(&column);
    }
    const std::size_t share = order.empty() ? most : std::max<std::size_t>(most / order.size(), 1);
    std::vector<PlotGroup> groups;
    std::size_t taken = 0;
    for (const std::string& component : order) {
        const auto& columns = by_component[component];
        const std::size_t count = std::min({columns.size(), share, most - taken});
        taken += count;
        const std::string prefix = component.empty() ? component : component + ".";
        PlotGroup group = group_of(component, prefix, table, {columns.data(), count});
        if (!group.plots.empty()) groups.push_back(std::move(group));
    }
    return groups;
}

std::string svg(const Plot& plot) {
    Axis time;
    Axis values;
    for (const Series& series : plot.series) {
        for (const double t : series.time) time.include(t);
        for (const double value : series.values) values.include(value);
    }
    time.widen(0);
    values.widen(0.05);
    std::string out = fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\">", plot_width, plot_height);
    out += grid(time, values, plot.unit);
    for (std::size_t i = 0; i < plot.series.size(); ++i)
        out +=
            fmt::format("<path class=\"line line{}\" d=\"{}\"/>", i % colours, path_of(plot.series[i], time, values));
    return out + "</svg>";
}

Ticks ticks_for(double low, double high, int about) {
    const double rough = (high - low) / about;
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    const double mantissa = rough / power;
    const double step = (mantissa < 1.5 ? 1 : mantissa < 3.5 ? 2 : mantissa < 7.5 ? 5 : 10) * power;
    // The tolerance keeps a tick that only rounding puts outside.
    const double first = std::ceil(low / step - 1e-9);
    const double last = std::floor(high / step + 1e-9);
    return {first * step, step, static_cast<int>(last - first) + 1};
}

}  // namespace master::report
