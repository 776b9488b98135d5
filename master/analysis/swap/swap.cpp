#include "master/analysis/swap/swap.hpp"

#include "master/analysis/swap/watched_run.hpp"
#include "master/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace master::analysis {
namespace {

/// Of the run: where discrete signals part earlier, what follows says nothing about the units.
constexpr double early = 0.2;
/// Of runs that measure the errors of solvers: small enough for what such a run does to count as right.
constexpr double small_tolerance = 1e-9, smallest_tolerance = 1e-13;
constexpr double tighter_by = 100;
constexpr std::size_t least_compared = 5;  // points

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

std::optional<double> error_in(const report::ErrorBar& bar, const std::string& name) {
    const auto found = std::ranges::find(bar.signals, name, &report::ErrorBar::Signal::name);
    return found == bar.signals.end() ? std::nullopt : std::optional(found->error);
}

/// Both runs again with something changed that may not change the result.
struct RunAgain {
    std::unique_ptr<Recording> before, after;  // null: there is nothing to change
};

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

/// What the change does to a signal, in both runs together.
double changed_by(const RunAgain& again, const OneRun& before, const OneRun& after, const ColumnPair& pair,
                  const Window& window) {
    double sum = 0;
    if (again.before != nullptr)
        sum += largest_difference(*before.recording, *again.before, pair.before, window.begin, window.end);
    if (again.after != nullptr)
        sum += std::fabs(pair.to_old.gain) *
               largest_difference(*after.recording, *again.after, pair.after, window.begin, window.end);
    return sum;
}

Uncertainty uncertainty_of(const OneRun& before, const OneRun& after, const ColumnPair& pair) {
    Uncertainty result;
    result.solver = std::max(before.tolerances.loosest, after.tolerances.loosest);
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
    signal.rest = part(std::max(from, to), swap.time.size());
    return signal;
}

/// What other seeds do is measured only where something differs.
RunAgain with_other_seeds(Swap& swap, const SwapRequest& request, const OneRun& before, const OneRun& after,
                          base::ArchiveCache& archives, runs::Board* board) {
    RunAgain again;
    if (std::ranges::none_of(swap.signals, [](const SwappedSignal& signal) { return signal.difference.peak > 0; }))
        return again;
    const Seeding seeds = seeding(before.seeds, after.seeds, swap.component, swap.before.step == swap.after.step);
    if (!seeds.before.empty())
        again.before = run_again(reseeded(request.before, seeds.before), request.scenario, archives, board);
    if (!seeds.after.empty())
        again.after = run_again(reseeded(request.after, seeds.after), request.scenario, archives, board);
    for (const NoiseSeed& seed : seeds.before) swap.seeds.push_back(seed.path());
    for (const NoiseSeed& seed : seeds.after)
        if (std::ranges::find(swap.seeds, seed.path()) == swap.seeds.end()) swap.seeds.push_back(seed.path());
    swap.common_noise = seeds.common;
    return again;
}

/// Where the master integrates units and something differs by more than their tolerance, at a smaller one: what that
/// changes is the error of the solvers over the whole run. Nothing where such a run fails.
std::optional<RunAgain> with_smaller_tolerance(Swap& swap, const SwapRequest& request, const OneRun& before,
                                               const OneRun& after, base::ArchiveCache& archives, runs::Board* board) {
    const double tolerance = std::max(before.tolerances.loosest, after.tolerances.loosest);
    RunAgain again;
    const bool equal = std::ranges::all_of(swap.signals, [&](const SwappedSignal& signal) {
        return judge(signal.difference, {.solver = tolerance}).verdict == Verdict::no_difference &&
               judge(signal.rest, {.solver = tolerance}).verdict == Verdict::no_difference;
    });
    if (tolerance <= 0 || equal) return again;
    const auto tightened = [&](const OneRun& run, build::BuildOptions options) -> std::unique_ptr<Recording> {
        if (run.tolerances.tightest <= 0) return nullptr;
        options.tolerance =
            std::max(std::min(run.tolerances.tightest / tighter_by, small_tolerance), smallest_tolerance);
        const std::string used = fmt::format(" {:g}", *options.tolerance);
        if (!swap.solvers.ends_with(used))
            swap.solvers += (swap.solvers.empty() ? "measured by a tolerance of" : " and") + used;
        return run_again(options, request.scenario, archives, board);
    };
    try {
        again.before = tightened(before, request.before);
        again.after = tightened(after, request.after);
    } catch (const base::Error& error) {
        if (error.exit() == base::Exit::interrupted) throw;
        swap.solvers = fmt::format("not measured, a run with a smaller tolerance fails: {}", error.what());
        return std::nullopt;
    }
    return again;
}

/// What is left of a difference in runs with a smaller tolerance, and there without the coupling errors that the
/// shadows tell. Nothing where a shadow does not watch the signal.
std::optional<Remainder> left_without_errors(const Swap& swap, const SwappedSignal& signal, const OneRun& before,
                                             const OneRun& after, const ColumnPair& pair, const RunAgain& tightened,
                                             const Window& window) {
    const auto own = before.errors.values.find(signal.name), other = after.errors.values.find(signal.new_name);
    if (own == before.errors.values.end() || other == after.errors.values.end()) return std::nullopt;
    const std::vector<double>& times = before.errors.time;
    const std::vector<double>& before_off = own->second;
    const std::vector<double> after_off = at_times(times, after.errors.time, other->second, false);
    const std::vector<double> first = at_times(times, swap.time, signal.before, false);
    const std::vector<double> second = at_times(times, swap.time, signal.after, false);
    std::vector<double> tight_first = first, tight_second = second;
    if (tightened.before != nullptr)
        tight_first = at_times(times, tightened.before->time, tightened.before->rows[pair.before], false);
    if (tightened.after != nullptr) {
        tight_second = at_times(times, tightened.after->time, tightened.after->rows[pair.after], false);
        for (double& value : tight_second) value = pair.to_old(value);
    }
    double without_solvers = 0, without_all = 0, all = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < times.size(); ++i) {
        if (times[i] < window.begin || times[i] > window.end) continue;
        const double difference = second[i] - first[i];
        const double tight = tight_second[i] - tight_first[i];
        const double coupling = pair.to_old.gain * after_off[i] - before_off[i];
        all += difference * difference;
        without_solvers += tight * tight;
        without_all += (tight - coupling) * (tight - coupling);
        ++count;
    }
    if (count < least_compared || !(all > 0)) return std::nullopt;
    return Remainder{std::sqrt(without_solvers / all), std::sqrt(without_all / all)};
}

/// Where errors hide what two runs at the same step differ by.
std::string advice(const Swap& swap) {
    const auto hidden = [](const SwappedSignal& signal) {
        return signal.bar && *signal.bar + signal.solvers > 0 && signal.judgement.verdict != Verdict::no_difference &&
               signal.judgement.verdict != Verdict::physics && signal.difference.peak > signal.noise;
    };
    const auto by_solvers = [&](const SwappedSignal& signal) { return hidden(signal) && signal.solvers > *signal.bar; };
    if (swap.before.step != swap.after.step || std::ranges::none_of(swap.signals, hidden)) return {};
    if (std::ranges::any_of(swap.signals, by_solvers))
        return "what is hidden by the errors of the solvers shows at a smaller --tolerance";
    if (swap.before.finer_step.empty()) return {};
    return fmt::format(
        "what is hidden by the coupling errors shows at a smaller step: --step {} makes them about {:.0f} "
        "times smaller",
        swap.before.finer_step, std::pow(finer_by, std::min(swap.before.bar.order, swap.after.bar.order)));
}

void judge_signals(Swap& swap, const SwapRequest& request, const OneRun& before, const OneRun& after,
                   const std::vector<ColumnPair>& pairs, const Window& window, base::ArchiveCache& archives,
                   runs::Board* board) {
    const RunAgain noise = with_other_seeds(swap, request, before, after, archives, board);
    const std::optional<RunAgain> tightened = with_smaller_tolerance(swap, request, before, after, archives, board);
    const double length = swap.time.back() - swap.time.front();
    const bool too_early = window.end - swap.time.front() < early * length;
    const std::string ended =
        swap.parted.empty() ? fmt::format("the error bar ends at t = {:.6g} s", window.end) : swap.parted;
    auto signal = swap.signals.begin();
    for (const ColumnPair& pair : pairs) {
        if (before.recording->columns[pair.before].signal.type != core::Type::real) continue;
        Uncertainty uncertainty = uncertainty_of(before, after, pair);
        uncertainty.noise = changed_by(noise, before, after, pair, window);
        uncertainty.common_noise = swap.common_noise;
        if (tightened) {
            uncertainty.solver_errors = changed_by(*tightened, before, after, pair, window);
            uncertainty.left = left_without_errors(swap, *signal, before, after, pair, *tightened, window);
        } else {
            uncertainty.coupling.reset();
            uncertainty.missing = "the errors of the solvers are " + swap.solvers;
        }
        signal->bar = uncertainty.coupling;
        signal->solvers = uncertainty.solver_errors;
        signal->noise = uncertainty.noise;
        signal->judgement = judge_part(signal->difference, signal->rest, uncertainty, ended);
        if (too_early && signal->judgement.verdict != Verdict::no_difference)
            signal->judgement = {Verdict::cannot_tell, ended};
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
