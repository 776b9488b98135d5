#include "master/runs/goals.hpp"

#include <cmath>
#include <fmt/format.h>

namespace master::runs {
namespace {

/// A unit that ends the run does so for the system.
bool ended_before_own_stop(const build::Simulation& simulation, const build::BuildOptions& options,
                           const Outcome& outcome) {
    if (outcome.exit == base::Exit::interrupted) return true;
    if (!outcome.ended_by.empty() || options.stop.empty()) return false;
    const auto own = base::exact_fraction(simulation.parts.description.stop);
    return own && simulation.timing.timebase.seconds(outcome.reached) < own->value();
}

std::string expected(const report::Goal& goal) {
    if (goal.smallest == goal.largest) return fmt::format("{:g}", goal.smallest);
    if (!std::isfinite(goal.largest)) return fmt::format("at least {:g}", goal.smallest);
    if (!std::isfinite(goal.smallest)) return fmt::format("at most {:g}", goal.largest);
    return fmt::format("{:g} to {:g}", goal.smallest, goal.largest);
}

}  // namespace

void judge_goals(const report::ReportFile& wishes, const report::Observer& observer,
                 const build::Simulation& simulation, const build::BuildOptions& options, Outcome& outcome,
                 base::Diagnostics& diagnostics) {
    if (outcome.error) return;
    for (const report::Goal& goal : wishes.goals) {
        const auto value = observer.last(goal.signal);
        if (!value || (*value >= goal.smallest && *value <= goal.largest)) continue;
        const std::string found =
            fmt::format("{} ({} is {:g}, expected {})", goal.label, goal.signal.name, *value, expected(goal));
        if (ended_before_own_stop(simulation, options, outcome)) {
            diagnostics.note("goal", simulation.parts.description.name, "not reached yet: " + found);
            continue;
        }
        outcome.exit = base::Exit::violated;
        outcome.missed += (outcome.missed.empty() ? "goal missed: " : "; ") + found;
    }
}

}  // namespace master::runs
