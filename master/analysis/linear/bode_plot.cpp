#include "master/analysis/linear/bode_plot.hpp"

#include "master/base/printable.hpp"
#include "master/report/plot.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numbers>

namespace master::analysis {
namespace {

constexpr double bode_width = 560, bode_left = 56, bode_right = 12, bode_top = 14;
constexpr double panel_height = 180, panel_gap = 22, bode_bottom = 36, key_height = 18;

/// Numbers over a logarithmic frequency, drawn into a part of the picture.
class Panel {
public:
    Panel(double top, double from, double to, std::string label)
        : top_(top), from_(std::log10(from)), to_(std::log10(to)), label_(std::move(label)) {}

    void include(double value) {
        if (!std::isfinite(value)) return;
        low_ = std::min(low_, value);
        high_ = std::max(high_, value);
    }

    /// For sizes, which are never negative.
    void begin_at_zero() {
        include(0);
        begins_at_zero_ = true;
    }

    [[nodiscard]] double x(double frequency) const {
        return bode_left + (std::log10(frequency) - from_) / (to_ - from_) * (bode_width - bode_left - bode_right);
    }
    [[nodiscard]] double y(double value) const { return top_ + (high_ - value) / (high_ - low_) * panel_height; }

    /// Grid, ticks and frame; `steps` are preferred distances of ticks, such as those of angles.
    [[nodiscard]] std::string grid(bool last, const std::vector<double>& steps) {
        widen();
        std::string out;
        for (int decade = static_cast<int>(std::floor(from_)); decade <= static_cast<int>(std::ceil(to_)); ++decade) {
            for (int digit = 1; digit < 10; ++digit) {
                const double f = digit * std::pow(10.0, decade);
                if (std::log10(f) < from_ - 1e-9 || std::log10(f) > to_ + 1e-9) continue;
                out +=
                    fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>", x(f), top_, top_ + panel_height);
                const bool named = digit == 1 || (to_ - from_ < 2 && (digit == 2 || digit == 5));
                if (last && named)
                    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"tick middle\">{:g}</text>", x(f),
                                       top_ + panel_height + 15, f);
            }
        }
        const double step = tick_step(steps);
        const long first_tick = std::lround(std::ceil(low_ / step - 1e-9));
        const long last_tick = std::lround(std::floor(high_ / step + 1e-9));
        for (long tick = first_tick; tick <= last_tick; ++tick) {
            const double value = static_cast<double>(tick) * step;
            out += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>", bode_left, y(value),
                               bode_width - bode_right);
            out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"tick end\">{}{:g}</text>", bode_left - 7,
                               y(value) + 3.5, tick < 0 ? "\u2212" : "", std::fabs(value));
        }
        out += fmt::format("<path class=\"axis\" d=\"M{0:.1f} {1:.1f}V{2:.1f}H{3:.1f}\"/>", bode_left, top_,
                           top_ + panel_height, bode_width - bode_right);
        out +=
            fmt::format("<text x=\"4\" y=\"{:.1f}\" class=\"label\">{}</text>", top_ - 4, base::printable_html(label_));
        if (last)
            out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"label middle\">frequency in Hz</text>",
                               (bode_left + bode_width - bode_right) / 2, top_ + panel_height + 30);
        return out;
    }

    [[nodiscard]] std::string curve(const std::vector<double>& frequencies, const std::vector<double>& values,
                                    std::size_t colour, bool dots) const {
        std::string out;
        bool down = false;
        for (std::size_t i = 0; i < frequencies.size(); ++i) {
            const double logarithm = std::log10(frequencies[i]);
            if (!std::isfinite(values[i]) || logarithm < from_ - 1e-9 || logarithm > to_ + 1e-9) {
                down = false;
                continue;
            }
            if (dots) {
                out += fmt::format("M{:.1f} {:.1f}h0", x(frequencies[i]), y(values[i]));
                continue;
            }
            out += fmt::format("{}{:.1f} {:.1f}", down ? 'L' : 'M', x(frequencies[i]), y(values[i]));
            down = true;
        }
        return fmt::format("<path class=\"line line{}\"{} d=\"{}\"/>", colour % report::colours,
                           dots ? " style=\"stroke-width:6;stroke-linecap:round\"" : "", out);
    }

private:
    void widen() {
        if (!(high_ >= low_)) low_ = 0, high_ = 1;
        if (begins_at_zero_) {
            high_ = high_ > 0 ? 1.05 * high_ : 1;
            return;
        }
        const double room = std::max(0.05 * (high_ - low_), 0.5);
        low_ -= room;
        high_ += room;
    }
    [[nodiscard]] double tick_step(const std::vector<double>& steps) const {
        for (const double step : steps)
            if ((high_ - low_) / step <= 7) return step;
        return report::ticks_for(low_, high_, 5).step;
    }

    double top_, from_, to_;
    std::string label_;
    bool begins_at_zero_ = false;
    double low_ = std::numeric_limits<double>::infinity(), high_ = -low_;
};

std::string key(std::size_t colour, const std::string& label, double& at) {
    std::string out = fmt::format(
        "<path class=\"line line{}\" d=\"M{:.1f} 8h14\"/><text x=\"{:.1f}\" y=\"12\" class=\"label\">{}</text>",
        colour % report::colours, at, at + 18, base::printable_html(label));
    at += 34 + 6.2 * static_cast<double>(label.size());
    return out;
}

template <class AnySeries>
std::pair<double, double> span_of(const std::vector<AnySeries>& series) {
    double low = std::numeric_limits<double>::infinity(), high = 0;
    for (const AnySeries& one : series)
        for (const double f : one.frequencies) {
            low = std::min(low, f);
            high = std::max(high, f);
        }
    if (!(high > 0)) return {1, 10};
    return {low, high > low ? high : 10 * low};
}

std::vector<double> decibels(const BodeSeries& series) {
    std::vector<double> result;
    result.reserve(series.values.size());
    for (const auto& value : series.values) result.push_back(20 * std::log10(std::abs(value)));
    return result;
}

std::vector<double> phases(const BodeSeries& series) {
    std::vector<double> result;
    for (const auto& value : series.values) {
        double degrees = std::arg(value) * 180 / std::numbers::pi;
        if (!result.empty()) degrees += 360 * std::round((result.back() - degrees) / 360);
        result.push_back(degrees);
    }
    // Up to half a circle ahead is ahead; what begins further ahead is a turn behind.
    if (!result.empty() && result.front() > 180 - 1e-6)
        for (double& degrees : result) degrees -= 360;
    return result;
}

}  // namespace

std::string bode_svg(const std::vector<BodeSeries>& series) {
    const auto [low, high] = span_of(series);
    const double first = key_height + bode_top, second = first + panel_height + panel_gap;
    Panel amplitude(first, low, high, "dB"), phase(second, low, high, "phase in \u00b0");
    std::vector<std::vector<double>> sizes, angles;
    for (const BodeSeries& one : series) {
        sizes.push_back(decibels(one));
        angles.push_back(phases(one));
        // Series that mean the same angle are drawn on top of each other.
        if (!angles.front().empty() && !angles.back().empty()) {
            const auto near = std::ranges::min_element(series.front().frequencies, {}, [&](double f) {
                return std::fabs(std::log(f / one.frequencies.front()));
            });
            const double there = angles.front()[static_cast<std::size_t>(near - series.front().frequencies.begin())];
            const double turns = 360 * std::round((there - angles.back().front()) / 360);
            for (double& degrees : angles.back()) degrees += turns;
        }
        for (const double size : sizes.back()) amplitude.include(size);
        for (const double degrees : angles.back()) phase.include(degrees);
    }
    std::string out =
        fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\">", bode_width, second + panel_height + bode_bottom);
    out += amplitude.grid(false, {1, 2, 5, 10, 20, 40, 60, 80, 100}) + phase.grid(true, {15, 30, 45, 90, 180, 360});
    double at = bode_left;
    for (std::size_t i = 0; i < series.size(); ++i) {
        out += key(i, series[i].label, at);
        out += amplitude.curve(series[i].frequencies, sizes[i], i, series[i].dots);
        out += phase.curve(series[i].frequencies, angles[i], i, series[i].dots);
    }
    return out + "</svg>";
}

std::string spectrum_svg(const std::vector<SpectrumSeries>& series, const std::string& label) {
    const auto [low, high] = span_of(series);
    const double first = key_height + bode_top;
    Panel panel(first, low, high, label);
    for (const SpectrumSeries& one : series)
        for (const double value : one.values) panel.include(value);
    panel.begin_at_zero();
    std::string out =
        fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\">", bode_width, first + panel_height + bode_bottom);
    out += panel.grid(true, {});
    double at = bode_left;
    for (std::size_t i = 0; i < series.size(); ++i) {
        out += key(i, series[i].label, at);
        out += panel.curve(series[i].frequencies, series[i].values, i, false);
        out += panel.curve(series[i].frequencies, series[i].values, i, true);
    }
    return out + "</svg>";
}

}  // namespace master::analysis
