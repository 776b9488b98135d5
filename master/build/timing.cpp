#include "master/build/timing.hpp"

#include "master/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace master::build {
namespace {

struct Stated {
    base::Fraction value;
    std::string origin;
    bool by_user = false;  // on the command line or in the system's own file
};

base::Fraction parse(const std::string& text, const char* option) {
    const auto value = base::exact_fraction(text);
    if (value) return *value;
    throw base::Error("bad-value", option,
                      fmt::format("'{}' is no exact decimal or fraction such as 0.001 or 1/30", text));
}

/// The largest 1, 2, 5 x 10^k that is at most `limit`.
base::Fraction round_step(double limit) {
    const int exponent = static_cast<int>(std::floor(std::log10(limit)));
    for (const int e : {exponent, exponent - 1}) {
        for (const int digit : {5, 2, 1}) {
            const auto candidate = base::exact_fraction(fmt::format("{}e{}", digit, e));
            if (candidate && candidate->value() <= limit * (1 + 1e-12)) return *candidate;
        }
    }
    return {1, 1000};
}

std::optional<Stated> experiment_time(const Parts& parts, bool stop) {
    std::optional<Stated> found;
    for (const core::UnitInfo* info : parts.infos()) {
        if (info == nullptr) continue;
        const auto& value = stop ? info->experiment.stop : info->experiment.start;
        if (!value) continue;
        const auto exact = base::simplest_fraction(fmt::format("{}", *value));
        if (!exact || (found && exact->value() <= found->value.value())) continue;
        found = Stated{*exact, "the FMU's DefaultExperiment"};
    }
    return found;
}

Stated start_time(const Parts& parts, const BuildOptions& options) {
    if (!options.start.empty()) return {parse(options.start, "--start"), "--start", true};
    if (!parts.description.start.empty()) {
        return {parse(parts.description.start, parts.description.experiment_where.c_str()), "DefaultExperiment", true};
    }
    return experiment_time(parts, false).value_or(Stated{{0, 1}, "default"});
}

Stated stop_time(const Parts& parts, const BuildOptions& options, const Stated& start, base::Diagnostics& diagnostics) {
    if (!options.stop.empty()) return {parse(options.stop, "--stop"), "--stop", true};
    if (!parts.description.stop.empty()) {
        return {parse(parts.description.stop, parts.description.experiment_where.c_str()), "DefaultExperiment", true};
    }
    const auto stated = experiment_time(parts, true);
    if (stated && stated->value.value() > start.value.value()) return *stated;
    diagnostics.note("stop", parts.description.name, "no stop time is stated: 1 s after the start is used");
    return {base::exact_fraction(
                fmt::format("{}/{}", start.value.numerator + start.value.denominator, start.value.denominator))
                .value_or(base::Fraction{1, 1}),
            "default"};
}

std::optional<Stated> smallest_fmu_step(const Parts& parts, base::Diagnostics& diagnostics) {
    std::optional<Stated> smallest;
    for (std::size_t i = 0; i < parts.components.size(); ++i) {
        const core::UnitInfo* info = parts.components[i].info;
        if (info == nullptr) continue;
        for (const std::string& text : {info->experiment.step, info->fixed_internal_step}) {
            if (text.empty()) continue;
            const auto step = base::simplest_fraction(text);
            if (!step || step->numerator <= 0 || (smallest && step->value() >= smallest->value.value())) continue;
            smallest = Stated{*step, "FMU '" + parts.description.components[i].name + "'"};
            if (base::exact_fraction(text) != step) {
                diagnostics.note(
                    "step", parts.description.components[i].name,
                    fmt::format("the FMU states a step of {} s, taken as {} s", text, base::to_string(*step)));
            }
        }
    }
    return smallest;
}

Stated system_step(const Parts& parts, const BuildOptions& options, double length, base::Diagnostics& diagnostics) {
    if (!options.step.empty()) return {parse(options.step, "--step"), "--step", true};
    if (parts.description.step) return {*parts.description.step, parts.description.step_origin, true};
    const double few = length / 500;
    constexpr double most_steps = 1e6, most_stated_steps = 1e8;
    if (auto stated = smallest_fmu_step(parts, diagnostics)) {
        if (length / stated->value.value() <= most_stated_steps) return *stated;
        // Some exporters state the smallest step of their solver.
        diagnostics.note(
            "step", parts.description.name,
            fmt::format("{} states a step of {} s, which means more than 10^8 steps; --step chooses another, "
                        "the default is taken",
                        stated->origin, base::to_string(stated->value)));
    }
    const bool single = parts.components.size() == 1;
    if (single || length / 1e-3 > most_steps) return {round_step(few), "default"};
    return {{1, 1000}, "default"};
}

void check_unit_step(const Parts& parts, std::size_t i, const base::Fraction& step, base::Diagnostics& diagnostics) {
    const core::UnitInfo* info = parts.components[i].info;
    if (info == nullptr || info->fixed_internal_step.empty()) return;
    const auto own = base::simplest_fraction(info->fixed_internal_step);
    if (!own || own->numerator <= 0) return;
    const double ratio = step.value() / own->value();
    const double whole = std::max(1.0, std::round(ratio));
    if (std::abs(ratio - whole) < 1e-9 * whole) return;
    const base::Fraction nearest{static_cast<std::int64_t>(whole) * own->numerator, own->denominator};
    diagnostics.error("step", parts.description.components[i].name,
                      fmt::format("a step of {} s is no multiple of the unit's own step of {} s; the nearest that is: "
                                  "{} s",
                                  base::to_string(step), base::to_string(*own), base::to_string(nearest)));
}

[[noreturn]] void refuse_timebase(const std::vector<base::Fraction>& steps) {
    const auto worst = std::ranges::max_element(steps, {}, &base::Fraction::denominator);
    const auto nearest = base::exact_fraction(fmt::format("{:.9f}", std::max(worst->value(), 1e-9)));
    throw base::Error(
        "step", "",
        fmt::format("the steps cannot be met exactly with at most 10^12 ticks per second: {} s is the hardest; "
                    "the nearest that can be met: {} s",
                    base::to_string(*worst), base::to_string(*nearest)));
}

}  // namespace

Timing make_timing(const Parts& parts, const BuildOptions& options, base::Diagnostics& diagnostics) {
    Timing timing;
    const Stated start = start_time(parts, options);
    const Stated stop = stop_time(parts, options, start, diagnostics);
    const double length = stop.value.value() - start.value.value();
    if (!(length > 0)) {
        throw base::Error("stop", stop.origin,
                          fmt::format("the stop time {} s is not after the start time {} s",
                                      base::to_string(stop.value), base::to_string(start.value)));
    }
    const Stated step = system_step(parts, options, length, diagnostics);

    std::vector<base::Fraction> steps;
    for (std::size_t i = 0; i < parts.components.size(); ++i) {
        const auto& own = parts.plan.units.at(i).step;
        base::Fraction unit_step = options.unit_steps.empty() ? own.value_or(step.value) : options.unit_steps.at(i);
        unit_step = *base::exact_fraction(
            fmt::format("{}/{}", unit_step.numerator, fmt::format("{}", unit_step.denominator * options.divide_steps)));
        if (unit_step.numerator <= 0) {
            diagnostics.error("step", own ? parts.plan.units[i].step_origin : step.origin,
                              fmt::format("a step must be positive, found {}", base::to_string(unit_step)));
            unit_step = {1, 1000};
        }
        check_unit_step(parts, i, unit_step, diagnostics);
        steps.push_back(unit_step);
    }
    diagnostics.throw_if_errors();

    // Clock intervals make the grid finer where that is possible; otherwise their ticks are rounded to it.
    std::vector<base::Fraction> needed = steps;
    needed.push_back(start.value);
    if (!base::common_timebase(needed)) refuse_timebase(needed);
    std::vector<base::Fraction> wished = needed;
    wished.push_back(stop.value);
    for (const core::UnitInfo* info : parts.infos()) {
        if (info == nullptr) continue;
        for (const core::Variable& variable : info->variables) {
            if (variable.clock_interval) wished.push_back(*variable.clock_interval);
            if (variable.clock_shift) wished.push_back(*variable.clock_shift);
        }
    }
    timing.timebase = base::common_timebase(wished).value_or(*base::common_timebase(needed));

    for (const base::Fraction& period : steps) timing.periods.push_back(*timing.timebase.exactly(period));
    timing.hyperperiod = timing.periods.empty() ? base::Duration{1} : timing.periods.front();
    for (const base::Duration& period : timing.periods) {
        timing.hyperperiod.ticks = std::lcm(timing.hyperperiod.ticks, period.ticks);
    }
    timing.start = base::Time{} + *timing.timebase.exactly(start.value);
    if (!options.lead.empty()) {
        const double wished_lead = parse(options.lead, "--settle").value();
        if (!(wished_lead > 0))
            throw base::Error("settle", "--settle", fmt::format("'{}' is no positive time", options.lead));
        timing.lead = timing.hyperperiod *
                      static_cast<std::int64_t>(std::ceil(wished_lead / timing.timebase.seconds(timing.hyperperiod)));
    }
    const auto finest = static_cast<std::size_t>(std::ranges::min_element(timing.periods) - timing.periods.begin());
    const base::Duration grid = timing.periods[finest];
    const bool common = std::ranges::any_of(parts.plan.units, [](const core::PlannedUnit& unit) { return !unit.step; });
    const core::PlannedUnit& quickest = parts.plan.units[finest];
    timing.step = common ? step.value : *quickest.step;
    timing.step_origin = common ? step.origin : quickest.step_origin;
    if (!common && !options.step.empty())
        diagnostics.warn("step", "--step", "has no effect: every component has a step of its own");
    const Stated grid_step = quickest.step ? Stated{*quickest.step, quickest.step_origin} : step;
    const auto exact_stop = timing.timebase.exactly(stop.value);
    const base::Time wanted = exact_stop ? base::Time{} + *exact_stop : timing.timebase.nearest(stop.value.value());
    const std::int64_t whole = (wanted - timing.start).ticks / grid.ticks;
    timing.stop = timing.start + grid * whole;
    if (timing.stop != wanted || !exact_stop) {
        const std::string text = fmt::format(
            "the stop time {} s is no multiple of the step {} s after the start; the last point before it "
            "is {} s",
            base::to_string(stop.value), base::to_string(timing.timebase.fraction(grid)),
            timing.timebase.seconds(timing.stop));
        if (whole == 0)
            throw base::Error("step", grid_step.origin,
                              fmt::format("the step {} s is longer than the run from {} s to {} s",
                                          base::to_string(timing.timebase.fraction(grid)), base::to_string(start.value),
                                          base::to_string(stop.value)));
        if (grid_step.by_user && stop.by_user) {
            const double count = std::max(1.0, std::round(length / timing.timebase.seconds(grid)));
            const auto fitting = base::exact_fraction(fmt::format("{}/{}", length, count));
            throw base::Error(
                "step", grid_step.origin,
                text + (fitting ? fmt::format("; the nearest step that fits: {} s", base::to_string(*fitting)) : ""));
        }
        diagnostics.note("stop", parts.description.name, text + ", where the run ends");
    }
    timing.ends_together = std::ranges::all_of(timing.periods, [&](const base::Duration& period) {
        return (timing.stop - timing.start).ticks % period.ticks == 0;
    });
    return timing;
}

}  // namespace master::build
