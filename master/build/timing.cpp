#include "master/build/timing.hpp"

#include "master/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numeric>

namespace master::build {
namespace {

struct Stated {
    base::Fraction value;
    std::string origin;
};

base::Fraction parse(const std::string& text, const char* option) {
    const auto value = base::exact_fraction(text);
    if (value) return *value;
    throw base::Error(
        "bad-value", option,
        fmt::format("'{}' is no exact decimal or fraction of at most 18 digits, such as 0.001 or 1/30", text));
}

/// Refuses what the ticks of the run cannot count.
void check_range(const Stated& time, const char* what, base::Timebase timebase) {
    const double most = timebase.seconds(base::Time{base::Timebase::most_ticks});
    if (std::abs(time.value.value()) < most) return;
    throw base::Error("bad-value", time.origin,
                      fmt::format("found a {} of {} s, expected at most {:.3g} s, which is as far as 2^62 ticks of "
                                  "1/{} s reach",
                                  what, base::to_string(time.value), most, timebase.ticks_per_second));
}

/// A step of the run from one that is stated.
base::Fraction divided(const base::Fraction& step, std::int64_t by, const std::string& origin) {
    const auto part = base::exact_fraction(fmt::format("{}/{}", step.numerator, by));
    const auto exact =
        part ? base::exact_fraction(fmt::format("{}/{}", base::to_string(*part), step.denominator)) : std::nullopt;
    if (exact) return *exact;
    throw base::Error("step", origin, fmt::format("{} s cannot be divided by {} exactly", base::to_string(step), by));
}

/// The distance to the next double.
double resolution_at(double t) { return std::nextafter(t, std::numeric_limits<double>::infinity()) - t; }

[[noreturn]] void refuse_stop(const Stated& stop, const Stated& start) {
    using Wide = __int128;
    const bool is_after =
        Wide{stop.value.numerator} * start.value.denominator > Wide{start.value.numerator} * stop.value.denominator;
    const std::string cause = is_after
                                  ? fmt::format(" for units, which are given doubles: there they are {:.2g} s apart",
                                                resolution_at(std::abs(start.value.value())))
                                  : std::string{};
    throw base::Error("stop", stop.origin,
                      fmt::format("the stop time {} s is not after the start time {} s{}", base::to_string(stop.value),
                                  base::to_string(start.value), cause));
}

/// Refuses a step that doubles cannot resolve: units would be given, and results hold, equal times for different
/// points.
void check_resolution(const Stated& step, double farthest, base::Timebase timebase) {
    // Seconds are computed from ticks, whose number becomes a double too.
    const auto ticks = static_cast<double>(timebase.ticks_per_second);
    const double resolution = std::max(resolution_at(farthest), resolution_at(farthest * ticks) / ticks);
    if (step.value.value() >= resolution) return;
    const double scale = std::pow(10, std::floor(std::log10(resolution)));
    double least = 10 * scale;
    for (const double digit : {5.0, 2.0})
        if (digit * scale >= resolution) least = digit * scale;
    throw base::Error(
        "step", step.origin,
        fmt::format("a step of {} s cannot be told apart at t = {:.6g} s, where doubles are {:.2g} s apart; "
                    "expected at least {:.2g} s, or times closer to zero",
                    base::to_string(step.value), farthest, resolution, least));
}

base::Duration common_multiple(const std::vector<base::Duration>& periods, base::Timebase timebase) {
    base::Duration common = periods.empty() ? base::Duration{1} : periods.front();
    for (const base::Duration& period : periods) {
        const std::int64_t factor = period.ticks / std::gcd(common.ticks, period.ticks);
        if (factor > base::Timebase::most_ticks / common.ticks)
            throw base::Error(
                "step", "",
                fmt::format("the steps of the units, {} s among them, meet again only after more than "
                            "{:.3g} s; expected steps with a common multiple",
                            timebase.seconds(period), timebase.seconds(base::Time{base::Timebase::most_ticks})));
        common.ticks *= factor;
    }
    return common;
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
    if (!options.start.empty()) return {parse(options.start, "--start"), "--start"};
    if (!parts.description.start.empty()) {
        return {parse(parts.description.start, parts.description.experiment_where.c_str()), "DefaultExperiment"};
    }
    return experiment_time(parts, false).value_or(Stated{{0, 1}, "default"});
}

Stated stop_time(const Parts& parts, const BuildOptions& options, const Stated& start, base::Diagnostics& diagnostics) {
    if (!options.stop.empty()) return {parse(options.stop, "--stop"), "--stop"};
    if (!parts.description.stop.empty()) {
        return {parse(parts.description.stop, parts.description.experiment_where.c_str()), "DefaultExperiment"};
    }
    const auto stated = experiment_time(parts, true);
    if (stated && stated->value.value() > start.value.value()) return *stated;
    diagnostics.note("stop", parts.description.name, "no stop time is stated: 1 s after the start is used");
    constexpr std::int64_t farthest = base::Timebase::most_ticks;  // in seconds out of range anyway
    const base::Fraction& from = start.value;
    if (std::abs(from.numerator) > farthest || from.denominator > farthest) return start;
    return {{from.numerator + from.denominator, from.denominator}, "default"};
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
    if (!options.step.empty()) return {parse(options.step, "--step"), "--step"};
    if (parts.description.step) return {*parts.description.step, parts.description.step_origin};
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

struct WantedStop {
    base::Time at;
    std::string text;
};

/// The stop that is wanted where the grid has a point or every unit can be stepped to it, else the last point before.
void set_stop(Timing& timing, const WantedStop& wanted, base::Duration grid, const Parts& parts,
              base::Diagnostics& diagnostics) {
    const base::Timebase timebase = timing.timebase;
    const base::Duration rest{(wanted.at - timing.start).ticks % grid.ticks};
    timing.stop = wanted.at - rest;
    if (rest.ticks == 0) return;
    const std::string text = fmt::format("the stop time {} s is no multiple of the step {} s after the start",
                                         wanted.text, base::to_string(timebase.fraction(grid)));
    const std::string fixed = component_with_fixed_step(parts);
    if (fixed.empty()) {
        timing.stop = wanted.at;
        timing.extra_points = {wanted.at};
        diagnostics.note("stop", parts.description.name,
                         fmt::format("{}: the last step is shortened to {} s", text, timebase.seconds(rest)));
        return;
    }
    const std::string ends = fmt::format("'{}' cannot vary its step, so the run ends at the last point before it, {} s",
                                         fixed, timebase.seconds(timing.stop));
    if (timing.stop == timing.start)
        diagnostics.warn("stop", parts.description.name,
                         fmt::format("{}, and {}: nothing but the start is computed", text, ends));
    else
        diagnostics.note("stop", parts.description.name, text + ", and " + ends);
}

bool keeps_step(const core::UnitInfo* info) {
    return info != nullptr && (!info->can.variable_step || !info->fixed_internal_step.empty());
}

/// The stop is a point of the finest grid. Units of other grids are stepped to it where all of them can; else says how
/// far they come.
void end_slow_units(Timing& timing, const Parts& parts, base::Diagnostics& diagnostics) {
    if (!timing.extra_points.empty()) return;
    const base::Duration length = timing.stop - timing.start;
    std::vector<std::size_t> beside;
    for (std::size_t i = 0; i < timing.periods.size(); ++i)
        if (length.ticks % timing.periods[i].ticks != 0) beside.push_back(i);
    const bool shortened =
        std::ranges::none_of(beside, [&](std::size_t i) { return keeps_step(parts.components[i].info); });
    if (!beside.empty() && shortened) timing.extra_points = {timing.stop};
    for (const std::size_t i : beside) {
        const base::Duration rest{length.ticks % timing.periods[i].ticks};
        const std::string& name = parts.description.components[i].name;
        const std::string text = fmt::format("the end, {} s, is no multiple of its step {} s after the start",
                                             timing.timebase.seconds(timing.stop),
                                             base::to_string(timing.timebase.fraction(timing.periods[i])));
        if (shortened)
            diagnostics.note(
                "stop", name,
                fmt::format("{}: its last step is shortened to {} s", text, timing.timebase.seconds(rest)));
        else if (rest == length)
            diagnostics.warn("stop", name, text + ": it is not computed, and keeps its values of the start");
        else
            diagnostics.note("stop", name,
                             fmt::format("{}: it is computed up to {} s, and keeps its values of then", text,
                                         timing.timebase.seconds(timing.stop - rest)));
    }
}

/// What a receiver gets from a source that knows its future.
struct Foreseen {
    const core::Foresight* source = nullptr;
    std::uint32_t variable = 0;
    core::Endpoint to;
    bool mean = false;  // over the receiver's step; else the value at its beginning
    std::string name, where;
};

/// All that the receivers do not follow inside their steps.
std::vector<Foreseen> foreseen_inputs(const Parts& parts, std::span<const std::unique_ptr<core::Unit>> units,
                                      const core::SystemOptions& options) {
    std::vector<Foreseen> all;
    const auto add = [&](Foreseen foreseen, core::Hold hold) {
        const core::Unit& receiver = *units[foreseen.to.unit];
        const core::Variable& input = receiver.info().variables[foreseen.to.variable];
        const bool held = options.hold.value_or(hold) == core::Hold::constant ||
                          input.variability != core::Variability::continuous || input.type != core::Type::real;
        if (!held && receiver.can_follow(foreseen.to.variable)) return;
        foreseen.mean = !held;
        all.push_back(std::move(foreseen));
    };
    for (const core::PlannedWire& wire : parts.plan.wires) {
        const core::Foresight* source = units[wire.from.unit]->foresight();
        if (source != nullptr) add({source, wire.from.variable, wire.to, false, wire.label, wire.where}, wire.hold);
    }
    for (const core::DrivenInput& driven : options.driven)
        add({driven.signal.source, driven.signal.variable, driven.to, false, driven.name, driven.where},
            core::Hold::automatic);
    return all;
}

/// A jump at a tick between two points of its receiver's grid.
struct JumpBesideGrid {
    double t = 0;
    base::Time at, before, after;  // and the points around it
};

std::vector<JumpBesideGrid> jumps_beside_grid(const Foreseen& foreseen, const Timing& timing) {
    std::vector<JumpBesideGrid> all;
    const base::Duration period = timing.periods[foreseen.to.unit];
    for (const double t : foreseen.source->jumps(foreseen.variable)) {
        base::Time at = timing.timebase.nearest(t);
        // Where a tick rounds it is the one after the jump, so that the value there is the new one.
        if (timing.timebase.seconds(at) < t) at.ticks += 1;
        const std::int64_t beside = (at - timing.start).ticks % period.ticks;
        if (at <= timing.start || at >= timing.stop || beside == 0) continue;
        const base::Time before = at - base::Duration{beside};
        all.push_back({t, at, before, std::min(before + period, timing.stop)});
    }
    return all;
}

void note_moved(const Foreseen& foreseen, const std::vector<JumpBesideGrid>& jumps, const std::string& fixed,
                base::Timebase timebase, base::Diagnostics& diagnostics) {
    constexpr std::size_t shown = 4;
    std::string list;
    for (std::size_t i = 0; i < std::min(shown, jumps.size()); ++i) {
        const auto& [t, at, before, after] = jumps[i];
        list += fmt::format("{}at {} s ", i == 0 ? "" : ", ", t);
        list += foreseen.mean
                    ? fmt::format("as a mean from {} s to {} s", timebase.seconds(before), timebase.seconds(after))
                    : fmt::format("moved to {} s, by {} s", timebase.seconds(after), timebase.seconds(after - at));
    }
    if (jumps.size() > shown) list += fmt::format(", and {} more", jumps.size() - shown);
    diagnostics.note(
        "jump", foreseen.where,
        fmt::format("'{}' jumps between the points of its receiver, and {}: {}", foreseen.name, fixed, list));
}

}  // namespace

void lay_points_at_jumps(Timing& timing, const Parts& parts, std::span<const std::unique_ptr<core::Unit>> units,
                         const core::SystemOptions& options, base::Diagnostics& diagnostics) {
    const std::string unit = component_with_fixed_step(parts);
    const std::string fixed = timing.paced   ? "points are not moved in real time"
                              : unit.empty() ? ""
                                             : fmt::format("'{}' cannot vary its step", unit);
    for (const Foreseen& foreseen : foreseen_inputs(parts, units, options)) {
        const std::vector<JumpBesideGrid> jumps = jumps_beside_grid(foreseen, timing);
        if (jumps.empty()) continue;
        if (!fixed.empty()) {
            note_moved(foreseen, jumps, fixed, timing.timebase, diagnostics);
            continue;
        }
        for (const JumpBesideGrid& jump : jumps) {
            timing.extra_points.push_back(jump.at);
            const double at = timing.timebase.seconds(jump.at);
            if (at == jump.t) continue;
            diagnostics.note(
                "jump", foreseen.where,
                fmt::format("'{}' jumps at {} s; its point is the next tick, {} s", foreseen.name, jump.t, at));
        }
    }
    std::ranges::sort(timing.extra_points);
    timing.extra_points.erase(std::unique(timing.extra_points.begin(), timing.extra_points.end()),
                              timing.extra_points.end());
}

std::string component_with_fixed_step(const Parts& parts) {
    for (std::size_t i = 0; i < parts.components.size(); ++i) {
        if (keeps_step(parts.components[i].info)) return parts.description.components[i].name;
    }
    return {};
}

Timing make_timing(const Parts& parts, const BuildOptions& options, base::Diagnostics& diagnostics) {
    Timing timing;
    timing.paced = options.paced;
    const Stated start = start_time(parts, options);
    const Stated stop = stop_time(parts, options, start, diagnostics);
    const double length = stop.value.value() - start.value.value();
    if (!(length > 0)) refuse_stop(stop, start);
    const Stated step = system_step(parts, options, length, diagnostics);

    std::vector<base::Fraction> steps;
    for (std::size_t i = 0; i < parts.components.size(); ++i) {
        const auto& own = parts.plan.units.at(i).step;
        base::Fraction unit_step = options.unit_steps.empty() ? own.value_or(step.value) : options.unit_steps.at(i);
        if (options.divide_steps != 1) unit_step = divided(unit_step, options.divide_steps, step.origin);
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

    check_range(start, "start time", timing.timebase);
    check_range(stop, "stop time", timing.timebase);
    const double farthest = std::max(std::abs(start.value.value()), std::abs(stop.value.value()));
    for (const base::Fraction& period : steps) {
        check_range({period, step.origin}, "step", timing.timebase);
        check_resolution({period, step.origin}, farthest, timing.timebase);
        timing.periods.push_back(*timing.timebase.exactly(period));
    }
    timing.hyperperiod = common_multiple(timing.periods, timing.timebase);
    timing.start = base::Time{} + *timing.timebase.exactly(start.value);
    if (!options.lead.empty()) {
        const double wished_lead = parse(options.lead, "--settle").value();
        if (!(wished_lead > 0))
            throw base::Error("settle", "--settle", fmt::format("'{}' is no positive time", options.lead));
        check_range({parse(options.lead, "--settle"), "--settle"}, "lead", timing.timebase);
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
    const auto exact_stop = timing.timebase.exactly(stop.value);
    const base::Time wanted = exact_stop ? base::Time{} + *exact_stop : timing.timebase.nearest(stop.value.value());
    set_stop(timing, {wanted, base::to_string(stop.value)}, grid, parts, diagnostics);
    end_slow_units(timing, parts, diagnostics);
    timing.ends_together =
        !timing.extra_points.empty() || std::ranges::all_of(timing.periods, [&](const base::Duration& period) {
            return (timing.stop - timing.start).ticks % period.ticks == 0;
        });
    return timing;
}

}  // namespace master::build
