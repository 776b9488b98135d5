#include "master/analysis/swap/swap.hpp"

#include "master/analysis/shadow.hpp"
#include "master/analysis/swap/noise.hpp"
#include "master/base/error.hpp"
#include "master/fmi/unit/solver_tolerance.hpp"
#include "master/results/table.hpp"
#include "master/runs/session.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace master::analysis {
namespace {

constexpr std::size_t most_rows = 20'000;
/// Of the run: where discrete signals part earlier, what follows says nothing about the units.
constexpr double early = 0.2;
/// By how much the step that is advised is smaller.
constexpr double finer_by = 4;

/// Keeps every recorded number in memory, at most so many rows.
class Recording final : public core::Tap {
public:
    Recording(const build::Simulation& simulation) : timebase_(simulation.timing.timebase) {
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

    void after_step(base::Time t, const core::Signals& signals) override {
        if (count_++ % every_ != 0) return;
        time.push_back(timebase_.seconds(t));
        for (std::size_t i = 0; i < columns.size(); ++i) rows[i].push_back(core::number(columns[i].signal, signals));
    }

    std::vector<results::Column> columns;
    std::vector<double> time;
    std::vector<std::vector<double>> rows;  // by column
    std::vector<double> own_steps;          // s, of the unit of each column

private:
    base::Timebase timebase_;
    std::size_t every_ = 1, count_ = 0;
};

struct OneRun {
    RunCost cost;
    std::unique_ptr<Recording> recording;
    double tolerance = 0;
    std::vector<build::Replaced> replaced;
    std::vector<NoiseSeed> seeds;
};

/// Of the units that the master integrates.
double tolerance_of(const build::Parts& parts, const build::BuildOptions& options) {
    double largest = 0;
    for (const build::Parts::Component& component : parts.components) {
        if (component.fmu == nullptr || component.interface != fmi::Interface::model_exchange) continue;
        largest = std::max(largest, fmi::solver_tolerance(options.tolerance ? options.tolerance : parts.plan.tolerance,
                                                          *component.info));
    }
    return largest;
}

runs::Scenario read_optional(const std::filesystem::path& file, base::Diagnostics& diagnostics) {
    if (file.empty()) return {};
    runs::Scenario scenario = runs::read_scenario(file, diagnostics);
    diagnostics.throw_if_errors();
    return scenario;
}

/// The shadow of a run says nothing that the run has not said.
class Silence final : public base::Log {
    void message(Level /*level*/, std::string_view /*unit*/, double /*time*/, std::string_view /*text*/) override {}
    void warning(std::string_view /*where*/, std::string_view /*text*/) override {}
};

/// A run with its shadow. Made before any FMU is opened, since the shadow's process must not know one.
class WatchedRun {
public:
    WatchedRun(const build::BuildOptions& options, const std::filesystem::path& scenario,
               Shadow::Wish shadow = Shadow::Wish::on)
        : options_(options),
          scenario_file_(scenario),
          shadow_(shadow, options, [this](const auto& build, const auto& corrections) {
              base::Diagnostics unsaid;
              kept_ = read_optional(scenario_file_, unsaid);
              const runs::RunRequest request{.build = build, .scenario = scenario_file_.empty() ? nullptr : &kept_};
              return runs::prepare_with(request, corrections, unsaid, silence_);
          }) {}

    OneRun run(base::ArchiveCache& archives, base::Diagnostics& diagnostics, base::Log& log, runs::Board* board) {
        kept_ = read_optional(scenario_file_, diagnostics);
        options_.archives = &archives;
        const runs::RunRequest request{.build = options_, .scenario = scenario_file_.empty() ? nullptr : &kept_};
        runs::Prepared prepared = runs::prepare(request, diagnostics, log);
        build::Simulation& simulation = prepared.simulation;
        OneRun result;
        result.recording = std::make_unique<Recording>(simulation);
        std::vector<core::Tap*> taps{result.recording.get()};
        if (prepared.script) taps.push_back(prepared.script.get());
        const runs::Outcome outcome =
            runs::execute(simulation, taps, {.visitor = shadow_.start(prepared), .board = board});
        result.cost.bar = shadow_.finish(outcome);
        if (outcome.error) throw base::Error(*outcome.error);
        if (outcome.exit == base::Exit::interrupted)
            throw base::Error("interrupted", "", "stopped by Ctrl-C", base::Exit::interrupted);
        result.cost.wall = outcome.wall.count();
        result.cost.points = outcome.points;
        const base::Fraction step = simulation.timing.step;
        result.cost.step = base::to_string(step);
        if (const auto finer = base::exact_fraction(
                fmt::format("{}/{}", step.numerator, step.denominator * static_cast<std::int64_t>(finer_by))))
            result.cost.finer_step = base::to_string(*finer);
        for (const core::Node& node : simulation.system->nodes())
            for (const auto& [name, count] : node.unit->statistics())
                if (name.find("event") != std::string::npos) result.cost.events += count;
        result.tolerance = tolerance_of(simulation.parts, options_);
        result.seeds = seeds_of(*simulation.system);
        simulation.system->terminate();
        result.replaced = std::move(simulation.parts.replaced);
        return result;
    }

private:
    build::BuildOptions options_;
    std::filesystem::path scenario_file_;
    runs::Scenario kept_;
    Silence silence_;
    Shadow shadow_;
};

/// The new column that stands for an old one.
struct ColumnPair {
    std::size_t before = 0, after = 0;
    build::Scale to_old;
};

std::vector<ColumnPair> pairs_of(const Recording& before, const Recording& after,
                                 const std::vector<build::Replaced>& replaced, std::vector<std::string>& unmatched) {
    std::map<std::string, std::size_t> by_name;
    for (std::size_t i = 0; i < after.columns.size(); ++i) by_name[after.columns[i].name] = i;
    std::map<std::string, std::pair<std::string, build::Scale>> partners;  // of columns of replaced components
    std::vector<std::string> prefixes;
    for (const build::Replaced& one : replaced) {
        prefixes.push_back(one.component + ".");
        for (const build::Partner& partner : one.adapter.partners) {
            const std::string old_name = build::name_of(one.old_info, partner.before);
            const std::string new_name = build::name_of(one.new_info, partner.after);
            const std::size_t size = one.old_info.variables[partner.before.variable].size;
            partners[prefixes.back() + old_name] = {prefixes.back() + new_name, partner.to_old};
            for (std::size_t e = 1; size > 1 && partner.before.indices.empty() && e <= size; ++e)
                partners[fmt::format("{}{}[{}]", prefixes.back(), old_name, e)] = {
                    fmt::format("{}{}[{}]", prefixes.back(), new_name, e), partner.to_old};
        }
    }
    std::vector<ColumnPair> pairs;
    for (std::size_t i = 0; i < before.columns.size(); ++i) {
        const std::string& name = before.columns[i].name;
        const auto partner = partners.find(name);
        const bool of_replaced =
            std::ranges::any_of(prefixes, [&](const std::string& prefix) { return name.starts_with(prefix); });
        const auto found = partner != partners.end() ? by_name.find(partner->second.first)
                           : of_replaced             ? by_name.end()
                                                     : by_name.find(name);
        if (found == by_name.end()) {
            unmatched.push_back(name);
            continue;
        }
        pairs.push_back({i, found->second, partner != partners.end() ? partner->second.second : build::Scale{}});
    }
    return pairs;
}

/// The values at other times; a discrete signal keeps its value until the next row.
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

std::optional<double> error_in(const report::ErrorBar& bar, const std::string& name) {
    const auto found = std::ranges::find(bar.signals, name, &report::ErrorBar::Signal::name);
    return found == bar.signals.end() ? std::nullopt : std::optional(found->error);
}

/// Both runs again with other seeds, where units have some.
struct Noise {
    Seeding seeds;
    std::unique_ptr<Recording> before, after;  // null: no noise there
};

std::unique_ptr<Recording> with_other_seeds(const build::BuildOptions& options, const std::vector<NoiseSeed>& seeds,
                                            const std::filesystem::path& scenario, base::ArchiveCache& archives,
                                            runs::Board* board) {
    if (seeds.empty()) return nullptr;
    Silence silence;
    base::Diagnostics unsaid;
    WatchedRun run(reseeded(options, seeds), scenario, Shadow::Wish::off);
    return run.run(archives, unsaid, silence, board).recording;
}

/// The largest difference between two runs of one column, within some times.
double largest_difference(const Recording& a, const Recording& b, std::size_t column, double begin, double end) {
    const std::vector<double> other = at_times(a.time, b.time, b.rows[column], false);
    double largest = 0;
    for (std::size_t i = 0; i < a.rows[column].size(); ++i)
        if (a.time[i] >= begin && a.time[i] <= end)
            largest = std::max(largest, std::fabs(a.rows[column][i] - other[i]));
    return largest;
}

/// The part of the time that is judged.
struct Window {
    double begin = 0, end = 0;
};

double noise_in(const Noise& noise, const OneRun& before, const OneRun& after, const ColumnPair& pair,
                const Window& window) {
    double sum = 0;
    if (noise.before != nullptr)
        sum += largest_difference(*before.recording, *noise.before, pair.before, window.begin, window.end);
    if (noise.after != nullptr)
        sum += std::fabs(pair.to_old.gain) *
               largest_difference(*after.recording, *noise.after, pair.after, window.begin, window.end);
    return sum;
}

Uncertainty uncertainty_of(const OneRun& before, const OneRun& after, const ColumnPair& pair) {
    Uncertainty result;
    result.solver = std::max(before.tolerance, after.tolerance);
    result.converged = before.cost.bar.converged && after.cost.bar.converged;
    for (const OneRun* run : {&before, &after})
        if (!run->cost.bar.missing.empty()) result.missing = run->cost.bar.missing;
    if (!result.missing.empty()) return result;
    const auto a = error_in(before.cost.bar, before.recording->columns[pair.before].name);
    const auto b = error_in(after.cost.bar, after.recording->columns[pair.after].name);
    if (a && b && std::isfinite(*a) && std::isfinite(*b))
        result.coupling = *a + std::fabs(pair.to_old.gain) * *b;
    else
        result.missing = "the shadow does not watch this signal";
    return result;
}

/// The end of what is compared: where an error bar ends, or where discrete signals part.
double end_of_comparison(const Swap& swap, const OneRun& before, const OneRun& after,
                         const std::vector<ColumnPair>& pairs, std::string& parted, double& parted_at) {
    double end = swap.time.back();
    for (const OneRun* run : {&before, &after})
        if (run->cost.bar.missing.empty() && !run->cost.bar.ends.empty()) end = std::min(end, run->cost.bar.to);
    parted_at = swap.time.back();
    for (const ColumnPair& pair : pairs) {
        const results::Column& column = before.recording->columns[pair.before];
        if (column.signal.type == core::Type::real) continue;
        const std::vector<double> other =
            at_times(swap.time, after.recording->time, after.recording->rows[pair.after], true);
        const std::vector<double>& own = before.recording->rows[pair.before];
        for (std::size_t i = 0; i + 1 < own.size(); ++i) {
            if (swap.time[i] >= parted_at) break;
            if (own[i] == other[i] || own[i + 1] == other[i + 1]) continue;
            parted_at = swap.time[i];
            parted = fmt::format("'{}' parts at t = {:.6g} s, from then on the two are different stories", column.name,
                                 parted_at);
            break;
        }
    }
    return std::min(end, parted_at);
}

/// The weakest word about all of them: physics anywhere is physics.
Verdict overall(const std::vector<SwappedSignal>& signals) {
    Verdict result = Verdict::no_difference;
    for (const SwappedSignal& signal : signals) {
        const Verdict one = signal.judgement.verdict;
        if (one == Verdict::physics) return one;
        result = std::max(result, one);
    }
    return result;
}

SwappedSignal compared(const Swap& swap, const OneRun& before, const OneRun& after, const ColumnPair& pair,
                       const Window& window) {
    const results::Column& column = before.recording->columns[pair.before];
    SwappedSignal signal;
    signal.name = column.name;
    signal.new_name = after.recording->columns[pair.after].name;
    signal.unit = column.unit;
    signal.before = before.recording->rows[pair.before];
    signal.after = at_times(swap.time, after.recording->time, after.recording->rows[pair.after], false);
    for (double& value : signal.after) value = pair.to_old(value);
    const double jitter =
        2 * std::max(before.recording->own_steps[pair.before], after.recording->own_steps[pair.after]);
    const auto from = static_cast<std::size_t>(std::ranges::lower_bound(swap.time, window.begin) - swap.time.begin());
    const auto to = static_cast<std::size_t>(std::ranges::upper_bound(swap.time, window.end) - swap.time.begin());
    const auto part = [&](std::size_t first_row, std::size_t last_row) {
        const auto cut = [&](const std::vector<double>& all) {
            return std::span(all).subspan(first_row, last_row > first_row ? last_row - first_row : 0);
        };
        return difference({cut(swap.time), cut(signal.before), cut(signal.after), jitter});
    };
    if (from > 0) signal.initial = part(0, std::min(from, to));
    signal.difference = part(from, to);
    return signal;
}

/// What other seeds do is measured only where something differs.
Noise noise_of(Swap& swap, const SwapRequest& request, const OneRun& before, const OneRun& after,
               base::ArchiveCache& archives, runs::Board* board) {
    Noise noise;
    if (std::ranges::none_of(swap.signals, [](const SwappedSignal& signal) { return signal.difference.peak > 0; }))
        return noise;
    noise.seeds = seeding(before.seeds, after.seeds, swap.component, swap.before.step == swap.after.step);
    noise.before = with_other_seeds(request.before, noise.seeds.before, request.scenario, archives, board);
    noise.after = with_other_seeds(request.after, noise.seeds.after, request.scenario, archives, board);
    for (const NoiseSeed& seed : noise.seeds.before) swap.seeds.push_back(seed.path());
    for (const NoiseSeed& seed : noise.seeds.after)
        if (std::ranges::find(swap.seeds, seed.path()) == swap.seeds.end()) swap.seeds.push_back(seed.path());
    swap.common_noise = noise.seeds.common;
    return noise;
}

/// Where error bars hide what two runs at the same step differ by.
std::string advice(const Swap& swap) {
    const auto hidden = [](const SwappedSignal& signal) {
        return signal.bar && *signal.bar > 0 && signal.judgement.verdict != Verdict::no_difference &&
               signal.judgement.verdict != Verdict::physics && signal.difference.peak > signal.noise;
    };
    if (swap.before.step != swap.after.step || swap.before.finer_step.empty() ||
        std::ranges::none_of(swap.signals, hidden))
        return {};
    return fmt::format(
        "what is hidden by the coupling errors shows at a smaller step: --step {} makes them about {:.0f} "
        "times smaller",
        swap.before.finer_step, std::pow(finer_by, std::min(swap.before.bar.order, swap.after.bar.order)));
}

void judge_signals(Swap& swap, const SwapRequest& request, const OneRun& before, const OneRun& after,
                   const std::vector<ColumnPair>& pairs, const Window& window, base::ArchiveCache& archives,
                   runs::Board* board) {
    const Noise noise = noise_of(swap, request, before, after, archives, board);
    const double length = swap.time.back() - swap.time.front();
    const bool too_early = window.end - swap.time.front() < early * length;
    auto signal = swap.signals.begin();
    for (const ColumnPair& pair : pairs) {
        if (before.recording->columns[pair.before].signal.type != core::Type::real) continue;
        Uncertainty uncertainty = uncertainty_of(before, after, pair);
        uncertainty.noise = noise_in(noise, before, after, pair, window);
        uncertainty.common_noise = swap.common_noise;
        signal->bar = uncertainty.coupling;
        signal->noise = uncertainty.noise;
        signal->judgement = judge(signal->difference, uncertainty);
        if (too_early && signal->judgement.verdict != Verdict::no_difference)
            signal->judgement = {Verdict::cannot_tell, swap.parted.empty() ? "the error bar ends early" : swap.parted};
        ++signal;
    }
    std::ranges::stable_sort(swap.signals, std::greater{}, [](const SwappedSignal& one) {
        const double range = one.difference.range;
        return range > 0 ? one.difference.peak / range : one.difference.peak > 0 ? INFINITY : 0.0;
    });
    swap.verdict = overall(swap.signals);
    swap.advice = advice(swap);
}

}  // namespace

Swap swap_units(const SwapRequest& request, base::Diagnostics& diagnostics, base::Log& log, runs::Board* board) {
    WatchedRun first(request.before, request.scenario), second(request.after, request.scenario);
    base::ArchiveCache archives;
    OneRun before = first.run(archives, diagnostics, log, board);
    OneRun after = second.run(archives, diagnostics, log, board);
    Swap swap;
    for (const build::Replaced& replaced : after.replaced) {
        swap.component = replaced.component;
        swap.changes = interface_diff(replaced.old_info, replaced.new_info, replaced.adapter);
        swap.lost = replaced.lost;
        swap.held = replaced.held;
    }
    swap.before = before.cost;
    swap.after = after.cost;
    if (before.recording->time.empty() || after.recording->time.empty())
        throw base::Error("swap", "", "nothing was recorded, so that nothing can be compared", base::Exit::failed);
    swap.time = before.recording->time;
    std::erase_if(swap.time, [&](double t) { return t > after.recording->time.back(); });
    for (auto& row : before.recording->rows) row.resize(swap.time.size());
    const std::vector<ColumnPair> pairs = pairs_of(*before.recording, *after.recording, after.replaced, swap.unmatched);
    double parted_at = 0;
    const Window window{.begin = swap.time.front() + request.transient,
                        .end = end_of_comparison(swap, before, after, pairs, swap.parted, parted_at)};
    for (const ColumnPair& pair : pairs)
        if (before.recording->columns[pair.before].signal.type == core::Type::real)
            swap.signals.push_back(compared(swap, before, after, pair, window));
    judge_signals(swap, request, before, after, pairs, window, archives, board);
    return swap;
}

}  // namespace master::analysis
