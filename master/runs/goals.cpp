#include "master/runs/goals.hpp"

#include <algorithm>
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

/// Of a whole array or of one of its elements.
std::string_view without_index(std::string_view name) {
    return name.ends_with(']') ? name.substr(0, name.rfind('[')) : name;
}

}  // namespace

void note_unjudged_goals(const report::ReportFile& wishes, const build::Parts& parts, base::Diagnostics& diagnostics) {
    if (wishes.goals.empty()) return;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < parts.components.size(); ++i) {
        if (!parts.components[i].info) return;  // a specification: its units are not known
        for (const core::Variable& variable : parts.components[i].info->variables)
            names.push_back(parts.plan.units[i].name + "." + variable.name);
    }
    for (const report::Goal& goal : wishes.goals) {
        const bool known = std::ranges::find(names, goal.signal.name) != names.end() ||
                           std::ranges::find(names, without_index(goal.signal.name)) != names.end();
        if (known) continue;
        diagnostics.note("goal", parts.description.name,
                         fmt::format("the goal '{}' is not judged: this system has no signal '{}'{}", goal.label,
                                     goal.signal.name, base::did_you_mean(goal.signal.name, names)));
    }
}

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
