#pragma once

#include "master/build/simulation.hpp"
#include "master/report/error_bar.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace master::analysis {

/// What a run and its shadow are compared by, in the order of a row: continuous reals, then discrete numbers.
struct ComparedSignals {
    struct Real {
        std::string name, unit;
        double nominal = 0;  // 0: none is declared
        bool coupled =
            false;  // it drives a continuous input of another unit, or is what comes of such inputs in the end
    };
    struct Range {
        std::uint32_t first = 0, count = 0;  // in the lane of reals
    };
    std::vector<Real> reals;
    std::vector<Range> ranges;  // where the reals lie
    struct Discrete {
        std::string name;
        core::SignalRef signal;
    };
    std::vector<Discrete> discrete;

    [[nodiscard]] std::size_t row() const { return reals.size() + discrete.size(); }
};

/// Outputs that drive wires and outputs that are recorded. A shadow has the same ones at the same places.
[[nodiscard]] ComparedSignals compared_signals(build::Simulation& simulation);

/// Steps of a shadow against those of its run.
enum class ShadowStep : std::uint8_t { twice, half };

/// Rows of a run and of its shadow at the same times.
struct Rows {
    std::span<const double> run, shadow;
    std::size_t points = 0;  // that both have
};

/// The differences of two runs, up to the point at which discrete outputs part.
struct Comparison {
    struct Real {
        double scale = 0;    // range of the run's values or nominal value, whichever is larger
        double largest = 0;  // of the differences
        double rms = 0;
        double growth = 1;  // the shadow's largest value by the run's
    };
    std::vector<Real> reals;
    std::size_t points = 0;
    /// The discrete output that differs at two successive points: at one only it is the same switch, a point later.
    std::optional<std::size_t> parted;
};
[[nodiscard]] Comparison compare(const ComparedSignals& signals, const Rows& rows);

/// The differences of a signal are largest at the first point that a run and its shadow have after the start: one that
/// was larger before would fall between the shadow's points. `opening`: the first rows of both.
[[nodiscard]] bool worst_at_the_start(const ComparedSignals& signals, const Comparison& whole, const Rows& opening,
                                      ShadowStep step, int order);
/// What a shadow at half the step told of the beginning counts for the largest differences of the whole, which are
/// those of a shadow at `step`.
void add_opening(const Comparison& opening, ShadowStep step, int order, Comparison& whole);

/// A coupled signal of a shadow at half the step is larger than the run's by far: a smaller step does not help.
[[nodiscard]] bool worse_when_finer(const ComparedSignals& signals, const Comparison& at_half);

/// By how much the reals of a run are off at each point, by Richardson's extrapolation; in the order of the signals.
[[nodiscard]] std::vector<std::vector<double>> signed_errors(const ComparedSignals& signals, const Rows& rows,
                                                             ShadowStep step, int order);

/// Fills in what the differences tell: estimates, median and worst of the coupled signals, whether it has converged.
void judge(const ComparedSignals& signals, const Comparison& comparison, ShadowStep step, report::ErrorBar& bar);

}  // namespace master::analysis
