#include "master/analysis/convergence.hpp"

#include "master/analysis/error_bar.hpp"
#include "master/base/error.hpp"
#include "master/fmi/unit/solver_tolerance.hpp"
#include "master/runs/session.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <set>

namespace master::analysis {
namespace {

/// Keeps the real columns in memory at the points of the coarsest run.
class Memory final : public core::Tap {
public:
    Memory(const std::vector<results::Column>& columns, base::Time start, base::Duration every)
        : start_(start), every_(every) {
        for (const results::Column& column : columns) {
            if (column.signal.type == core::Type::real) columns_.push_back(column);
        }
    }

    void after_step(base::Time t, const core::Signals& signals) override {
        if ((t - start_).ticks % every_.ticks != 0) return;
        for (const results::Column& column : columns_) {
            values.push_back(column.signal.lanes(signals).reals[column.signal.index]);
        }
    }

    [[nodiscard]] std::vector<ComparedColumn> columns() const {
        std::vector<ComparedColumn> result;
        result.reserve(columns_.size());
        for (const results::Column& column : columns_) result.push_back({column.name, column.unit});
        return result;
    }

    std::vector<double> values;  // row by row

private:
    std::vector<results::Column> columns_;
    base::Time start_;
    base::Duration every_;
};

/// Relative rounding of recorded values, with room for a few hundred operations on them.
constexpr double rounding = 1e-13;
/// Both differences are noise where the smaller one is below a level and the larger one is not far above it.
constexpr double not_far = 10;
/// Differences that shrink by less or more than these orders, or that are less alike than this over time, follow no
/// method. More is chance: a step that happens to meet a jump.
constexpr double least_order = 0.5, most_order = 10;
constexpr double least_likeness = 0.8;

/// One column of three runs.
struct Differences {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    double coarse = 0, fine = 0;                               // largest ones
    double coarse_coarse = 0, fine_fine = 0, coarse_fine = 0;  // products, summed over the rows

    void add(double at_h, double at_half, double at_quarter) {
        const double first = at_h - at_half;
        const double second = at_half - at_quarter;
        coarse = std::max(coarse, std::abs(first));
        fine = std::max(fine, std::abs(second));
        coarse_coarse += first * first;
        fine_fine += second * second;
        coarse_fine += first * second;
        low = std::min(low, at_quarter);
        high = std::max(high, at_quarter);
    }
    [[nodiscard]] double magnitude() const { return std::max(std::abs(low), std::abs(high)); }

    /// e(h) = c(t) h^p makes both differences the same function of time but for a factor: their cosine is 1.
    [[nodiscard]] Shrinking shrinking(double tolerance) const {
        const auto [smaller, larger] = std::minmax(coarse, fine);
        const auto noise = [&](double level) { return smaller <= level && larger <= not_far * level; };
        if (noise(rounding * magnitude())) return Shrinking::rounding;
        if (noise(tolerance * magnitude())) return Shrinking::tolerance;
        const double likeness = coarse_fine / std::sqrt(coarse_coarse * fine_fine);
        const double order = std::log2(coarse / fine);
        const bool ordered = order >= least_order && order <= most_order && likeness >= least_likeness;
        return ordered ? Shrinking::regular : Shrinking::irregular;
    }
};

/// What most signals have that the step changes at all.
Shrinking most_common(const std::vector<SignalConvergence>& signals) {
    std::map<Shrinking, std::size_t> counts;
    for (const SignalConvergence& signal : signals)
        if (signal.shrinking != Shrinking::rounding) ++counts[signal.shrinking];
    if (counts.empty()) return Shrinking::rounding;
    return std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; })->first;
}

/// By the rule of a run's error bar, with the run at half the step as its shadow: at h and at h/2, since two runs may
/// meet a jump alike by chance.
void judge(const std::vector<ComparedColumn>& compared, const std::vector<std::vector<double>>& runs,
           Convergence& result) {
    ComparedSignals signals;
    for (const ComparedColumn& column : compared)
        signals.reals.push_back({.name = column.name, .unit = column.unit, .nominal = 0, .coupled = column.coupled});
    for (std::size_t run = 0; run < 2 && result.converged; ++run) {
        const Rows rows{runs[run], runs[run + 1], compared.empty() ? 0 : runs[run].size() / compared.size()};
        if (rows.points == 0) return;
        report::ErrorBar bar;
        judge(signals, compare(signals, rows), ShadowStep::half, bar);
        result.median_share = bar.median;
        result.worst_share = bar.worst;
        result.worst_signal = bar.worst_signal;
        result.converged = bar.converged;
    }
}

/// Exact signals that nobody is given do not speak for those that the coupling changes; without any, all count.
void mark_coupled(std::vector<ComparedColumn>& columns, build::Simulation& simulation) {
    std::set<std::string> coupled;
    for (const ComparedSignals::Real& real : compared_signals(simulation).reals)
        if (real.coupled) coupled.insert(real.name);
    const auto is_coupled = [&](const ComparedColumn& column) { return coupled.contains(column.name); };
    if (std::ranges::none_of(columns, is_coupled)) return;
    for (ComparedColumn& column : columns) column.coupled = is_coupled(column);
}

/// Of the units that the master integrates; zero without any, since other solvers do not say what they keep to.
double solver_tolerance(const build::Parts& parts, const build::BuildOptions& options) {
    double largest = 0;
    for (const build::Parts::Component& component : parts.components) {
        if (component.fmu == nullptr || component.interface != fmi::Interface::model_exchange) continue;
        const std::optional<double> asked = options.tolerance ? options.tolerance : parts.plan.tolerance;
        largest = std::max(largest, fmi::solver_tolerance(asked, *component.info));
    }
    return largest;
}

}  // namespace

std::string_view to_string(Shrinking shrinking) {
    switch (shrinking) {
        case Shrinking::regular:
            return "";
        case Shrinking::rounding:
            return "differences are at the level of rounding";
        case Shrinking::tolerance:
            return "differences are at the level of the solver's tolerance";
        case Shrinking::irregular:
            return "differences do not shrink regularly";
    }
    return "";
}

Convergence convergence(const std::vector<ComparedColumn>& compared, const std::vector<std::vector<double>>& runs,
                        double tolerance) {
    Convergence result;
    const std::size_t columns = compared.size();
    const std::size_t rows = columns == 0 ? 0 : runs[0].size() / columns;
    std::vector<double> orders;
    for (std::size_t c = 0; c < columns; ++c) {
        Differences differences;
        for (std::size_t i = c; i < rows * columns; i += columns) differences.add(runs[0][i], runs[1][i], runs[2][i]);
        SignalConvergence signal{.name = compared[c].name, .coarse = differences.coarse, .fine = differences.fine};

        signal.range = rows == 0 ? 0 : differences.high - differences.low;
        signal.shrinking = rows == 0 ? Shrinking::rounding : differences.shrinking(tolerance);
        const bool regular = signal.shrinking == Shrinking::regular;
        signal.order = regular ? std::log2(signal.coarse / signal.fine) : std::numeric_limits<double>::quiet_NaN();
        // e(h) - e(h/2) = e(h) (1 - 2^-p); without an order the differences themselves are all that is known.
        signal.error_at_h =
            regular ? signal.coarse / (1 - std::exp2(-signal.order)) : std::max(signal.coarse, signal.fine);
        if (regular) orders.push_back(signal.order);
        result.signals.push_back(signal);
    }
    if (orders.empty()) result.shrinking = most_common(result.signals);
    judge(compared, runs, result);
    const auto relative = [](const SignalConvergence& s) { return s.range > 0 ? s.error_at_h / s.range : 0.0; };
    std::ranges::stable_sort(result.signals, std::greater{}, relative);
    std::ranges::sort(orders);
    result.order = orders.empty() ? std::numeric_limits<double>::quiet_NaN() : orders[orders.size() / 2];
    return result;
}

Convergence converge(const runs::RunRequest& request, base::Diagnostics& diagnostics, base::Log& log,
                     runs::Board* board) {
    std::vector<std::vector<double>> runs;
    std::vector<ComparedColumn> columns;
    std::vector<std::string> corrections;  // of --settle at h, for all three
    base::Fraction step;
    std::optional<base::Fraction> coarsest;
    double tolerance = 0;
    base::ArchiveCache archives;
    for (const std::int64_t divisor : {1, 2, 4}) {
        runs::RunRequest finer = request;
        finer.build.divide_steps = divisor;
        finer.build.archives = &archives;
        base::Diagnostics repeated;
        runs::Prepared prepared = divisor == 1 ? runs::prepare(finer, diagnostics, log)
                                               : runs::prepare_with(finer, corrections, repeated, log);
        build::Simulation& simulation = prepared.simulation;
        const build::Timing& timing = simulation.timing;
        if (!coarsest) {
            step = timing.step;
            corrections = prepared.corrections;
            tolerance = solver_tolerance(simulation.parts, request.build);
            coarsest = timing.timebase.fraction(timing.hyperperiod);
        }
        Memory memory(simulation.columns, timing.start, *timing.timebase.exactly(*coarsest));
        std::vector<core::Tap*> taps{&memory};
        if (prepared.script) taps.push_back(prepared.script.get());
        const runs::Outcome outcome = runs::execute(simulation, taps, {.board = board});
        if (outcome.error) throw base::Error(*outcome.error);
        if (outcome.exit == base::Exit::interrupted)
            throw base::Error("interrupted", "", "stopped by Ctrl-C", base::Exit::interrupted);
        simulation.system->terminate();
        columns = memory.columns();
        mark_coupled(columns, simulation);
        runs.push_back(std::move(memory.values));
    }
    if (runs[0].size() != runs[1].size() || runs[0].size() != runs[2].size()) {
        throw base::Error("converge", "", "the three runs did not end at the same time, so they cannot be compared",
                          base::Exit::failed);
    }
    constexpr std::size_t fewest = 3;
    if (!columns.empty() && runs[0].size() < fewest * columns.size()) {
        throw base::Error("converge", "",
                          fmt::format("the steps of all components meet every {} s only, too seldom within the run to "
                                      "compare anything; a later --stop or steps that divide each other help",
                                      base::to_string(*coarsest)),
                          base::Exit::failed);
    }
    Convergence result = convergence(columns, runs, tolerance);
    result.step = step;
    return result;
}

}  // namespace master::analysis
