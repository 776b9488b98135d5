#include "master/convergence.hpp"

#include "master/error.hpp"
#include "master/session.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace master {
namespace {

/// Keeps the real columns in memory at the points of the coarsest run.
class Memory final : public Tap {
public:
    Memory(const std::vector<Column>& columns, Time start, Duration every) : start_(start), every_(every) {
        for (const Column& column : columns) {
            if (column.type == Type::real) columns_.push_back(column);
        }
    }

    void after_step(Time t, const Signals& signals) override {
        if ((t - start_).ticks % every_.ticks != 0) return;
        for (const Column& column : columns_) {
            values.push_back((column.input ? signals.inputs : signals.outputs).reals[column.index]);
        }
    }

    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> result;
        for (const Column& column : columns_) result.push_back(column.name);
        return result;
    }

    std::vector<double> values;  // row by row

private:
    std::vector<Column> columns_;
    Time start_;
    Duration every_;
};

double log2_ratio(double coarse, double fine, double rounding) {
    if (coarse <= rounding || fine <= rounding) return std::numeric_limits<double>::quiet_NaN();
    return std::log2(coarse / fine);
}

}  // namespace

Convergence convergence(const std::vector<std::string>& names, const std::vector<std::vector<double>>& runs) {
    Convergence result;
    const std::size_t columns = names.size();
    const std::size_t rows = columns == 0 ? 0 : runs[0].size() / columns;
    std::vector<double> orders;
    for (std::size_t c = 0; c < columns; ++c) {
        SignalConvergence signal{.name = names[c]};
        double low = std::numeric_limits<double>::infinity();
        double high = -low;
        for (std::size_t r = 0; r < rows; ++r) {
            const std::size_t i = r * columns + c;
            signal.coarse = std::max(signal.coarse, std::abs(runs[0][i] - runs[1][i]));
            signal.fine = std::max(signal.fine, std::abs(runs[1][i] - runs[2][i]));
            low = std::min(low, runs[2][i]);
            high = std::max(high, runs[2][i]);
        }
        signal.range = rows == 0 ? 0 : high - low;
        const double rounding = 1e-13 * std::max({1e-300, std::abs(low), std::abs(high)});
        signal.order = log2_ratio(signal.coarse, signal.fine, rounding);
        const double p = std::isnan(signal.order) ? 1 : std::max(signal.order, 0.5);
        // e(h) - e(h/2) = e(h) (1 - 2^-p)
        signal.error_at_h = signal.coarse / (1 - std::exp2(-p));
        if (!std::isnan(signal.order)) orders.push_back(signal.order);
        result.signals.push_back(signal);
    }
    const auto relative = [](const SignalConvergence& s) { return s.range > 0 ? s.error_at_h / s.range : 0.0; };
    std::ranges::stable_sort(result.signals, std::greater{}, relative);
    std::ranges::sort(orders);
    result.order = orders.empty() ? std::numeric_limits<double>::quiet_NaN() : orders[orders.size() / 2];
    return result;
}

Convergence converge(const BuildOptions& options, Diagnostics& diagnostics, Log& log) {
    std::vector<std::vector<double>> runs;
    std::vector<std::string> names;
    Fraction step;
    std::optional<Fraction> coarsest;
    for (const std::int64_t divisor : {1, 2, 4}) {
        BuildOptions finer = options;
        finer.divide_steps = divisor;
        Diagnostics repeated;
        Diagnostics& said = divisor == 1 ? diagnostics : repeated;
        Simulation simulation = build(finer, said, log);
        simulation.system->initialize(said);
        const Timing& timing = simulation.timing;
        if (!coarsest) {
            step = timing.step;
            coarsest = timing.timebase.fraction(timing.hyperperiod);
        }
        Memory memory(simulation.columns, timing.start, *timing.timebase.exactly(*coarsest));
        Tap* taps[] = {&memory};
        const Outcome outcome = execute(simulation, taps);
        if (outcome.error) throw Error(*outcome.error);
        if (outcome.exit == Exit::interrupted) throw Error("interrupted", "", "stopped by Ctrl-C", Exit::interrupted);
        names = memory.names();
        runs.push_back(std::move(memory.values));
    }
    if (runs[0].size() != runs[1].size() || runs[0].size() != runs[2].size()) {
        throw Error("converge", "", "the three runs did not end at the same time, so they cannot be compared",
                    Exit::failed);
    }
    Convergence result = convergence(names, runs);
    result.step = step;
    return result;
}

}  // namespace master
