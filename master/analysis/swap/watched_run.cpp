#include "master/analysis/swap/watched_run.hpp"

#include "master/base/error.hpp"
#include "master/fmi/unit/solver_tolerance.hpp"
#include "master/results/table.hpp"
#include "master/runs/session.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace master::analysis {
namespace {

constexpr std::size_t most_rows = 20'000;

Tolerances tolerances_of(const build::Parts& parts, const build::BuildOptions& options) {
    Tolerances result;
    for (const build::Parts::Component& component : parts.components) {
        if (component.fmu == nullptr || component.interface != fmi::Interface::model_exchange) continue;
        const double own =
            fmi::solver_tolerance(options.tolerance ? options.tolerance : parts.plan.tolerance, *component.info);
        result.loosest = std::max(result.loosest, own);
        result.tightest = result.tightest > 0 ? std::min(result.tightest, own) : own;
    }
    return result;
}

runs::Scenario read_optional(const std::filesystem::path& file, base::Diagnostics& diagnostics) {
    if (file.empty()) return {};
    runs::Scenario scenario = runs::read_scenario(file, diagnostics);
    diagnostics.throw_if_errors();
    return scenario;
}

}  // namespace

Recording::Recording(const build::Simulation& simulation) : timebase_(simulation.timing.timebase) {
    for (const results::Column& column : simulation.columns)
        if (core::is_number(column.signal.type) && column.signal.type != core::Type::clock && !column.fixed)
            columns.push_back(column);
    const build::Timing& timing = simulation.timing;
    const auto smallest = std::ranges::min_element(timing.periods);
    const auto steps = smallest == timing.periods.end() ? 1 : (timing.stop - timing.start).ticks / smallest->ticks;
    every_ = 1 + static_cast<std::size_t>(steps) / most_rows;
    rows.resize(columns.size());
    for (const results::Column& column : columns) {
        double step = 0;
        for (std::size_t i = 0; i < timing.periods.size(); ++i)
            if (column.name.starts_with(simulation.parts.plan.units[i].name + "."))
                step = std::max(step, timebase_.seconds(timing.periods[i]));
        own_steps.push_back(step);
    }
}

void Recording::after_step(base::Time t, const core::Signals& signals) {
    if (count_++ % every_ != 0) return;
    time.push_back(timebase_.seconds(t));
    for (std::size_t i = 0; i < columns.size(); ++i) rows[i].push_back(core::number(columns[i].signal, signals));
}

WatchedRun::WatchedRun(const build::BuildOptions& options, const std::filesystem::path& scenario, Shadow::Wish shadow)
    : options_(options),
      scenario_file_(scenario),
      shadow_(shadow, options, [this](const auto& build, const auto& corrections) {
          base::Diagnostics unsaid;
          kept_ = read_optional(scenario_file_, unsaid);
          const runs::RunRequest request{.build = build, .scenario = scenario_file_.empty() ? nullptr : &kept_};
          return runs::prepare_with(request, corrections, unsaid, silence_);
      }) {}

OneRun WatchedRun::run(base::ArchiveCache& archives, base::Diagnostics& diagnostics, base::Log& log,
                       runs::Board* board) {
    kept_ = read_optional(scenario_file_, diagnostics);
    options_.archives = &archives;
    const runs::RunRequest request{.build = options_, .scenario = scenario_file_.empty() ? nullptr : &kept_};
    runs::Prepared prepared = runs::prepare(request, diagnostics, log);
    build::Simulation& simulation = prepared.simulation;
    OneRun result;
    result.recording = std::make_unique<Recording>(simulation);
    std::vector<core::Tap*> taps{result.recording.get()};
    if (prepared.script) taps.push_back(prepared.script.get());
    const runs::Outcome outcome = runs::execute(simulation, taps, {.visitor = shadow_.start(prepared), .board = board});
    result.cost.bar = shadow_.finish(outcome);
    result.errors = shadow_.errors();
    if (outcome.error) throw base::Error(*outcome.error);
    if (outcome.exit == base::Exit::interrupted)
        throw base::Error("interrupted", "", "stopped by Ctrl-C", base::Exit::interrupted);
    result.cost.wall = outcome.wall.count();
    result.cost.points = outcome.points;
    const base::Fraction step = simulation.timing.step;
    result.cost.step = base::to_string(step);
    if (const auto finer = base::exact_fraction(fmt::format("{}/{}", step.numerator, step.denominator * finer_by)))
        result.cost.finer_step = base::to_string(*finer);
    for (const core::Node& node : simulation.system->nodes())
        for (const auto& [name, count] : node.unit->statistics())
            if (name.find("event") != std::string::npos) result.cost.events += count;
    result.tolerances = tolerances_of(simulation.parts, options_);
    result.seeds = seeds_of(*simulation.system);
    simulation.system->terminate();
    result.replaced = std::move(simulation.parts.replaced);
    return result;
}

std::unique_ptr<Recording> run_again(const build::BuildOptions& options, const std::filesystem::path& scenario,
                                     base::ArchiveCache& archives, runs::Board* board) {
    Silence silence;
    base::Diagnostics unsaid;
    WatchedRun again(options, scenario, Shadow::Wish::off);
    return again.run(archives, unsaid, silence, board).recording;
}

std::vector<double> at_times(const std::vector<double>& times, const std::vector<double>& own,
                             const std::vector<double>& values, bool discrete) {
    if (times == own) return values;
    std::vector<double> result;
    result.reserve(times.size());
    for (const double t : times) {
        const results::TablePosition position = results::locate(own, t, core::Side::after);
        result.push_back(discrete ? values[position.held] : results::interpolate(values, position));
    }
    return result;
}

}  // namespace master::analysis
