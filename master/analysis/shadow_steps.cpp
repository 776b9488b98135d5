#include "master/analysis/shadow_steps.hpp"

#include "master/core/events.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace master::analysis {
namespace {

constexpr std::int64_t enough_points = 100;
constexpr std::int64_t opening_steps = 8;
constexpr std::int64_t visited_share = 8;  // of more points one in so many: a copy shall cost a run next to nothing

bool has_continuous_output(const core::UnitInfo& info) {
    return std::ranges::any_of(info.variables, [](const core::Variable& variable) {
        return variable.causality == core::Causality::output && variable.type == core::Type::real &&
               variable.variability == core::Variability::continuous;
    });
}

/// By clocks, a step of its own, or because it is a table.
bool is_sampled(const core::Unit& unit) {
    return unit.foresight() != nullptr || core::Events::has_clocks(unit) || !unit.info().fixed_internal_step.empty();
}

/// Has nothing but discrete outputs, and changes them where it is stepped: its step counts as its sampling time. What
/// the master integrates changes them at events, whatever its step.
bool seems_sampled(const core::Unit& unit) {
    return !is_sampled(unit) && !has_continuous_output(unit.info()) && !unit.info().can.refreshes_outputs;
}

base::Fraction scaled(const base::Fraction& step, std::int64_t numerator, std::int64_t denominator) {
    return *base::exact_fraction(fmt::format("{}/{}", step.numerator * numerator, step.denominator * denominator));
}

/// A shadow ends at a point of its own grid, the last one up to `end`.
std::string stop_on_grid(const build::Timing& timing, base::Duration grid, base::Time end) {
    const base::Time stop = timing.start + grid * ((end - timing.start).ticks / grid.ticks);
    return base::to_string(timing.timebase.fraction(stop - base::Time{}));
}

}  // namespace

ShadowSteps shadow_steps(build::Simulation& simulation, std::size_t most_points, std::size_t most_opening_points) {
    ShadowSteps result;
    const build::Timing& timing = simulation.timing;
    const auto nodes = simulation.system->nodes();
    const core::Plan& plan = simulation.system->plan();
    std::vector<bool> coupled(nodes.size(), false);
    for (std::size_t w = 0; w < plan.wires.size(); ++w) {
        if (!simulation.system->couplings()[w].continuous) continue;
        if (nodes[plan.wires[w].from.unit].unit->foresight() != nullptr) continue;
        coupled[plan.wires[w].from.unit] = coupled[plan.wires[w].to.unit] = true;
    }
    if (std::ranges::none_of(coupled, std::identity{})) {
        result.missing = "no units exchange continuous signals";
        return result;
    }
    std::vector<bool> changed(nodes.size(), false);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const core::Unit& unit = *nodes[i].unit;
        changed[i] = coupled[i] && !is_sampled(unit) && !seems_sampled(unit);
        if (coupled[i] && seems_sampled(unit)) result.seem_sampled.push_back(nodes[i].name);
    }
    if (std::ranges::none_of(changed, std::identity{})) {
        result.missing = "every unit that exchanges continuous signals is sampled by design";
        return result;
    }
    base::Duration grid{1}, finest{timing.stop.ticks - timing.start.ticks}, finest_half = finest;
    bool aligned = true;  // what is sampled meets the doubled steps
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const base::Duration period = timing.periods[i];
        const base::Duration doubled = changed[i] ? period * 2 : period;
        if (changed[i]) grid.ticks = std::lcm(grid.ticks, doubled.ticks);
        finest = std::min(finest, doubled);
        finest_half = std::min(finest_half, period);
        const base::Fraction step = timing.timebase.fraction(period);
        result.twice.push_back(changed[i] ? scaled(step, 2, 1) : step);
        result.half.push_back(changed[i] ? scaled(step, 1, 2) : step);
        for (std::size_t j = 0; j < nodes.size() && !changed[i]; ++j) {
            if (!changed[j]) continue;
            const std::int64_t other = 2 * timing.periods[j].ticks;
            aligned = aligned && (other % period.ticks == 0 || period.ticks % other == 0);
        }
    }
    result.stop_twice = stop_on_grid(timing, finest, timing.stop);
    result.stop_half = stop_on_grid(timing, finest_half, timing.stop);
    if (!aligned) result.twice.clear();
    const std::int64_t all = (timing.stop - timing.start).ticks / grid.ticks;
    const std::int64_t wanted = std::max(enough_points, all / visited_share);
    const std::int64_t most = std::max<std::int64_t>(1, std::min(wanted, static_cast<std::int64_t>(most_points)));
    const std::int64_t stride = std::max<std::int64_t>(1, (all + most - 1) / most);
    result.spacing = grid * stride;
    result.points = static_cast<std::size_t>(all / stride) + 1;
    result.opening_spacing = {grid.ticks / 2};
    const std::int64_t opening = std::min({2 * all, opening_steps, static_cast<std::int64_t>(most_opening_points) - 1});
    result.opening_points = static_cast<std::size_t>(std::max<std::int64_t>(opening, 0)) + 1;
    result.stop_opening = stop_on_grid(timing, finest_half, timing.start + result.opening_spacing * opening);
    return result;
}

}  // namespace master::analysis
