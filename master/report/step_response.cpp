#include "master/report/step_response.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace master::report {
namespace {

constexpr double settled = 0.02, rise_begins = 0.1, rise_ends = 0.9;

/// The first time at which `share` of the way is passed, by a straight line between rows.
std::optional<double> first_passing(const StepWindow& window, double way, double share) {
    double before = 0;
    for (std::size_t i = 0; i < window.time.size(); ++i) {
        const double now = (window.measured[i] - window.before) / way;
        if (now >= share) {
            if (i == 0 || now == before) return window.time[i];
            const double part = (share - before) / (now - before);
            return window.time[i - 1] + part * (window.time[i] - window.time[i - 1]);
        }
        before = now;
    }
    return std::nullopt;
}

/// The time from the beginning of the window until `measured` stays within `band` around `middle`.
std::optional<double> settling_time(const StepWindow& window, double middle, double band) {
    std::size_t last = window.time.size();  // the last row outside
    for (std::size_t i = window.time.size(); i-- > 0 && last == window.time.size();)
        if (std::fabs(window.measured[i] - middle) > band) last = i;
    if (last == window.time.size()) return 0;
    if (last + 1 == window.time.size()) return std::nullopt;
    const double outside = std::fabs(window.measured[last] - middle);
    const double inside = std::fabs(window.measured[last + 1] - middle);
    const double part = (outside - band) / (outside - inside);
    return window.time[last] + part * (window.time[last + 1] - window.time[last]) - window.time.front();
}

void add_errors(const StepWindow& window, StepMetrics& metrics) {
    const auto error = [&](std::size_t i) { return window.target[i] - window.measured[i]; };
    for (std::size_t i = 1; i < window.time.size(); ++i)
        metrics.absolute_error +=
            (window.time[i] - window.time[i - 1]) * (std::fabs(error(i - 1)) + std::fabs(error(i))) / 2;
    metrics.steady_error = error(window.time.size() - 1);
}

const std::vector<double>* reals(const results::Table& table, const std::string& name) {
    const results::TableColumn* column = table.find(name);
    return column == nullptr ? nullptr : std::get_if<std::vector<double>>(&column->values);
}

/// Rows at which a signal begins to change, with the row at which it has changed.
struct Change {
    std::size_t first = 0, last = 0;
};

std::vector<Change> changes_of(const std::vector<double>& values) {
    std::vector<Change> changes;
    for (std::size_t i = 1; i < values.size(); ++i) {
        if (values[i] == values[i - 1]) continue;
        if (!changes.empty() && changes.back().last == i - 1)
            changes.back().last = i;
        else
            changes.push_back({.first = i, .last = i});
    }
    return changes;
}

struct Signals {
    const std::vector<double>*target = nullptr, *measured = nullptr, *load = nullptr;
    std::vector<const std::vector<double>*> pressures = {};
};

StepResponse response_of(const results::Table& table, const WishedSteps& wish, const Signals& signals, bool of_target,
                         const Change& change, std::size_t end) {
    const std::vector<double>& cause = of_target ? *signals.target : *signals.load;
    // The row before is the one at which the step came: it shows in the next.
    const std::size_t begin = change.first - 1, count = end - begin;
    const double factor = wish.factor;
    // The target counts from the step on as what it becomes.
    std::vector<double> target(signals.target->begin() + static_cast<std::ptrdiff_t>(begin),
                               signals.target->begin() + static_cast<std::ptrdiff_t>(end));
    if (of_target) std::fill_n(target.begin(), change.last - begin, cause[change.last]);
    const StepWindow window{.time = std::span(table.time).subspan(begin, count),
                            .target = target,
                            .measured = std::span(*signals.measured).subspan(begin, count),
                            .before = (*signals.measured)[begin]};
    StepResponse response{.label = wish.label,
                          .cause = of_target ? "target" : "load",
                          .t = table.time[begin],
                          .from = cause[begin] * (of_target ? factor : 1),
                          .to = cause[change.last] * (of_target ? factor : 1),
                          .metrics = of_target ? target_step(window) : load_step(window),
                          .unit = wish.unit,
                          .peak_pressure = {}};
    for (double* shown :
         {&response.metrics.deviation, &response.metrics.steady_error, &response.metrics.absolute_error})
        *shown *= factor;
    for (const std::vector<double>* pressure : signals.pressures)
        for (std::size_t i = begin; i < end; ++i)
            response.peak_pressure = std::max(response.peak_pressure.value_or((*pressure)[i]), (*pressure)[i]);
    return response;
}

}  // namespace

StepMetrics target_step(const StepWindow& window) {
    StepMetrics metrics;
    const double goal = window.target.back(), way = goal - window.before;
    const auto begins = first_passing(window, way, rise_begins), ends = first_passing(window, way, rise_ends);
    if (begins && ends) metrics.rise_time = *ends - *begins;
    for (const double value : window.measured) metrics.overshoot = std::max(metrics.overshoot, (value - goal) / way);
    metrics.settling_time = settling_time(window, goal, settled * std::fabs(way));
    add_errors(window, metrics);
    return metrics;
}

StepMetrics load_step(const StepWindow& window) {
    StepMetrics metrics;
    for (const double value : window.measured)
        metrics.deviation = std::max(metrics.deviation, std::fabs(value - window.before));
    metrics.settling_time = settling_time(window, window.measured.back(), settled * metrics.deviation);
    add_errors(window, metrics);
    return metrics;
}

std::vector<StepResponse> step_responses(const results::Table& table, std::span<const WishedSteps> wishes) {
    struct Found {
        const WishedSteps& wish;
        Signals signals;
        bool of_target;
        Change change;
    };
    std::vector<Found> found;
    for (const WishedSteps& wish : wishes) {
        Signals signals{.target = reals(table, wish.target),
                        .measured = reals(table, wish.measured),
                        .load = wish.load.empty() ? nullptr : reals(table, wish.load)};
        if (signals.target == nullptr || signals.measured == nullptr) continue;
        for (const std::string& name : wish.pressures)
            if (const auto* pressure = reals(table, name); pressure != nullptr) signals.pressures.push_back(pressure);
        for (const Change& change : changes_of(*signals.target)) found.push_back({wish, signals, true, change});
        if (signals.load == nullptr) continue;
        for (const Change& change : changes_of(*signals.load)) found.push_back({wish, signals, false, change});
    }
    std::vector<std::size_t> begins;
    begins.reserve(found.size());
    for (const Found& step : found) begins.push_back(step.change.first);
    std::ranges::sort(begins);
    std::vector<StepResponse> all;
    for (const Found& step : found) {
        const auto next = std::ranges::upper_bound(begins, step.change.last);
        const std::size_t end = next == begins.end() ? table.time.size() : *next;
        all.push_back(response_of(table, step.wish, step.signals, step.of_target, step.change, end));
    }
    return all;
}

std::string text_of(const StepResponse& response) {
    const StepMetrics& metrics = response.metrics;
    const auto seconds = [](const std::optional<double>& time) {
        return time ? fmt::format("{:.3g} s", *time) : std::string("never");
    };
    std::string text = fmt::format("{} {:.4g} to {:.4g}{} at {:.4g} s: ", response.cause, response.from, response.to,
                                   response.cause == "target" ? " " + response.unit : "", response.t);
    if (response.cause == "target")
        text += fmt::format("rise {}, overshoot {:.1f} %", seconds(metrics.rise_time), 100 * metrics.overshoot);
    else
        text += fmt::format("deviation {:.3g} {}", metrics.deviation, response.unit);
    text += fmt::format(", settled {}, steady error {:.3g} {}, IAE {:.3g} {} s", seconds(metrics.settling_time),
                        metrics.steady_error, response.unit, metrics.absolute_error, response.unit);
    if (response.peak_pressure) text += fmt::format(", peak {:.4g} MPa", 1e-6 * *response.peak_pressure);
    return text;
}

}  // namespace master::report
