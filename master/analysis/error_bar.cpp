#include "master/analysis/error_bar.hpp"

#include "master/build/requests/locate.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>

namespace master::analysis {
namespace {

// Of rms difference over range. They separate coupled systems that are right from those that are not: converged ones
// have medians below 2.5 %, unstable ones above 10 %.
constexpr double most_median = 0.05;
constexpr double most_worst = 0.5;
/// Of the largest value of a signal: what varies less is noise of solvers.
constexpr double least_range = 1e-4;
/// Of the largest range of all signals of the same unit: what moves less stands still.
constexpr double standstill = 1e-3;
/// Of the range of a discrete number.
constexpr double same_count = 0.1;
constexpr std::size_t largest_array = 16;
/// Of a signal's range: an error at the start that is looked at closer.
constexpr double least_start_error = 1e-4;
/// Of two values of a signal.
constexpr double by_far = 10;
/// Of the largest difference: what is not much less than it.
constexpr double about_the_largest = 0.5;

/// The outputs of a unit that are looked at, by variable, and whether they count as coupled.
using Outputs = std::map<std::uint32_t, bool>;

std::vector<Outputs> outputs_of(build::Simulation& simulation) {
    const auto nodes = simulation.system->nodes();
    std::vector<Outputs> outputs(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const core::UnitInfo& info = nodes[i].unit->info();
        for (const core::Layout::Slot& slot : nodes[i].outputs.slots)
            if (info.variables[slot.variable].causality == core::Causality::output) outputs[i][slot.variable] = false;
    }
    const core::Plan& plan = simulation.system->plan();
    std::vector<bool> gives(nodes.size()), gets(nodes.size());  // continuous signals
    for (std::size_t w = 0; w < plan.wires.size(); ++w) {
        const core::Endpoint& from = plan.wires[w].from;
        if (!simulation.system->couplings()[w].continuous) continue;
        outputs[from.unit][from.variable] = true;
        gives[from.unit] = gets[plan.wires[w].to.unit] = true;
    }
    // What is wrong in a unit at the end of a chain shows in its own outputs alone.
    for (std::size_t i = 0; i < nodes.size(); ++i)
        for (auto& [variable, coupled] : outputs[i])
            if (gets[i] && !gives[i]) coupled = nodes[i].unit->info().variables[variable].size <= largest_array;
    return outputs;
}

/// By how much discrete numbers may differ and still tell the same story: a count may be off by a few, a mode may not.
std::vector<double> discrete_differences(const ComparedSignals& signals, const Rows& rows) {
    std::vector<double> result;
    for (std::size_t i = signals.reals.size(); i < signals.row(); ++i) {
        double low = std::numeric_limits<double>::infinity(), high = -low;
        for (std::size_t point = 0; point < rows.points; ++point) {
            low = std::min(low, rows.run[point * signals.row() + i]);
            high = std::max(high, rows.run[point * signals.row() + i]);
        }
        result.push_back(same_count * (high - low));
    }
    return result;
}

/// With e(h) = c h^p: e(2h) - e(h) = (2^p - 1) e(h), and e(h) - e(h/2) = (1 - 2^-p) e(h).
double differences_by_error(ShadowStep step, int order) {
    return step == ShadowStep::twice ? std::exp2(order) - 1 : 1 - std::exp2(-order);
}

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

}  // namespace

ComparedSignals compared_signals(build::Simulation& simulation) {
    ComparedSignals result;
    const auto nodes = simulation.system->nodes();
    const std::vector<Outputs> outputs = outputs_of(simulation);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const core::Node& node = nodes[i];
        if (node.unit->foresight() != nullptr) continue;  // a table is the same in both
        for (const auto& [index, coupled] : outputs[i]) {
            const core::Variable& variable = node.unit->info().variables[index];
            const auto first = build::output_signal(node, index);
            if (!first || !core::is_number(variable.type) || variable.type == core::Type::clock) continue;
            const auto name = [&](std::size_t element) {
                return node.name + "." + variable.name +
                       (variable.size > 1 ? fmt::format("[{}]", element + 1) : std::string{});
            };
            if (variable.type != core::Type::real) {
                for (std::uint32_t e = 0; e < variable.size && variable.size <= largest_array; ++e)
                    result.discrete.push_back({name(e), first->element(e)});
                continue;
            }
            if (variable.variability != core::Variability::continuous) continue;
            if (!coupled && variable.size > largest_array) continue;
            result.ranges.push_back({first->index, static_cast<std::uint32_t>(variable.size)});
            for (std::size_t e = 0; e < variable.size; ++e)
                result.reals.push_back({.name = name(e),
                                        .unit = variable.unit,
                                        .nominal = std::fabs(variable.nominal.value_or(0)),
                                        .coupled = coupled});
        }
    }
    std::vector<ComparedSignals::Range> joined;
    for (const ComparedSignals::Range& range : result.ranges) {
        if (!joined.empty() && joined.back().first + joined.back().count == range.first)
            joined.back().count += range.count;
        else
            joined.push_back(range);
    }
    result.ranges = std::move(joined);
    return result;
}

Comparison compare(const ComparedSignals& signals, const Rows& rows) {
    Comparison result;
    const std::size_t row = signals.row(), reals = signals.reals.size();
    const std::vector<double> apart_by = discrete_differences(signals, rows);
    const auto apart = [&](std::size_t point, std::size_t i) {
        const std::size_t at = point * row + reals + i;
        return std::fabs(rows.run[at] - rows.shadow[at]) > apart_by[i];
    };
    result.points = rows.points;
    for (std::size_t point = 0; point + 1 < rows.points && !result.parted; ++point) {
        for (std::size_t i = 0; i < signals.discrete.size() && !result.parted; ++i) {
            if (!apart(point, i) || !apart(point + 1, i)) continue;
            result.parted = i;
            result.points = point;
        }
    }
    struct Sums {
        double low = std::numeric_limits<double>::infinity(), high = -low;
        double largest = 0, squares = 0, shadow_size = 0;
    };
    std::vector<Sums> sums(reals);
    for (std::size_t point = 0; point < result.points; ++point) {
        for (std::size_t i = 0; i < reals; ++i) {
            const double value = rows.run[point * row + i];
            const double difference = std::fabs(rows.shadow[point * row + i] - value);
            Sums& sum = sums[i];
            sum.low = std::min(sum.low, value);
            sum.high = std::max(sum.high, value);
            sum.largest = std::max(sum.largest, difference);
            sum.squares += difference * difference;
            sum.shadow_size = std::max(sum.shadow_size, std::fabs(rows.shadow[point * row + i]));
        }
    }
    std::map<std::string, double> widest;  // range of any signal, by unit of measure
    for (std::size_t i = 0; i < reals; ++i) {
        double& range = widest[signals.reals[i].unit];
        range = std::max(range, sums[i].high - sums[i].low);
    }
    for (std::size_t i = 0; i < reals; ++i) {
        const ComparedSignals::Real& signal = signals.reals[i];
        const double size = std::max(std::fabs(sums[i].low), std::fabs(sums[i].high));
        const double moving = signal.unit.empty() ? 0 : standstill * widest[signal.unit];
        result.reals.push_back(
            {.scale = std::max({sums[i].high - sums[i].low, signal.nominal, least_range * size, moving}),
             .largest = sums[i].largest,
             .rms = std::sqrt(sums[i].squares / static_cast<double>(result.points)),
             .growth = size > 0 ? sums[i].shadow_size / size : 1});
    }
    return result;
}

bool worst_at_the_start(const ComparedSignals& signals, const Comparison& whole, const Rows& opening, ShadowStep step,
                        int order) {
    if (opening.points < 2) return false;
    const Comparison found = compare(signals, opening);
    for (std::size_t i = 0; i < signals.reals.size(); ++i) {
        const std::size_t first = signals.row() + i;
        const double difference = std::fabs(opening.shadow[first] - opening.run[first]);
        const double largest = std::max(whole.reals[i].largest, found.reals[i].largest);
        const double least = least_start_error * whole.reals[i].scale * differences_by_error(step, order);
        if (difference > least && difference >= about_the_largest * largest) return true;
    }
    return false;
}

void add_opening(const Comparison& opening, ShadowStep step, int order, Comparison& whole) {
    const double ratio = differences_by_error(step, order) / differences_by_error(ShadowStep::half, order);
    for (std::size_t i = 0; i < whole.reals.size(); ++i)
        whole.reals[i].largest = std::max(whole.reals[i].largest, ratio * opening.reals[i].largest);
}

bool worse_when_finer(const ComparedSignals& signals, const Comparison& at_half) {
    for (std::size_t i = 0; i < signals.reals.size(); ++i)
        if (signals.reals[i].coupled && at_half.reals[i].growth > by_far) return true;
    return false;
}

std::vector<std::vector<double>> signed_errors(const ComparedSignals& signals, const Rows& rows, ShadowStep step,
                                               int order) {
    const double divisor = differences_by_error(step, order) * (step == ShadowStep::twice ? 1 : -1);
    std::vector<std::vector<double>> result(signals.reals.size());
    for (std::size_t point = 0; point < rows.points; ++point) {
        for (std::size_t i = 0; i < result.size(); ++i) {
            const std::size_t at = point * signals.row() + i;
            result[i].push_back((rows.shadow[at] - rows.run[at]) / divisor);
        }
    }
    return result;
}

void judge(const ComparedSignals& signals, const Comparison& comparison, ShadowStep step, report::ErrorBar& bar) {
    const double divisor = differences_by_error(step, bar.order);
    std::vector<double> coupled;
    for (std::size_t i = 0; i < signals.reals.size(); ++i) {
        const ComparedSignals::Real& signal = signals.reals[i];
        const Comparison::Real& real = comparison.reals[i];
        const auto share = [&](double value) {
            const double ratio = value == 0 ? 0.0 : value / real.scale;
            return std::isfinite(ratio) ? ratio : std::numeric_limits<double>::infinity();
        };
        const double error = real.largest / divisor;
        bar.signals.push_back({.name = signal.name,
                               .unit = signal.unit,
                               .error = error,
                               .share = share(error),
                               .rms_share = share(real.rms / divisor)});
        if (!signal.coupled) continue;
        coupled.push_back(share(real.rms));
        if (coupled.size() > 1 && coupled.back() <= bar.worst) continue;
        bar.worst = coupled.back();
        bar.worst_signal = signal.name;
    }
    std::ranges::stable_sort(bar.signals, std::greater{}, &report::ErrorBar::Signal::share);
    bar.median = median(std::move(coupled));
    bar.shadow = step == ShadowStep::twice ? "twice the step" : "half the step";
    bar.converged = bar.median <= most_median && bar.worst <= most_worst;
}

}  // namespace master::analysis
