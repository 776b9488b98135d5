#pragma once

#include "master/base/diagnostics.hpp"
#include "master/base/log.hpp"
#include "master/base/time.hpp"
#include "master/runs/board.hpp"
#include "master/runs/prepare.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace master::analysis {

/// Whether the differences between h, h/2 and h/4 are those of a method with an order.
enum class Shrinking : std::uint8_t { regular, rounding, tolerance, irregular };

/// Why there is no order: the end of the sentence "no order: ...".
[[nodiscard]] std::string_view to_string(Shrinking shrinking);

/// What three runs at h, h/2 and h/4 tell about one signal.
struct SignalConvergence {
    std::string name;
    double range = 0;   // largest - smallest value at the finest step
    double coarse = 0;  // largest |y_h - y_h/2|
    double fine = 0;    // largest |y_h/2 - y_h/4|
    Shrinking shrinking = Shrinking::regular;
    double order = 0;       // log2(coarse / fine); NaN where they do not shrink regularly
    double error_at_h = 0;  // Richardson estimate of the error at h
};

struct Convergence {
    base::Fraction step;
    std::vector<SignalConvergence> signals;    // largest relative error first
    double order = 0;                          // median over signals that have one, else NaN
    Shrinking shrinking = Shrinking::regular;  // where no signal has an order: why, of most of them
    /// Rms of y_h - y_h/2 over the range, or of y_h/2 - y_h/4 where that is the first beyond the limits of a run's
    /// error bar.
    double median_share = 0, worst_share = 0;
    std::string worst_signal;
    bool converged = true;
};

/// A column of the three recordings.
struct ComparedColumn {
    std::string name, unit;
    bool coupled = true;  // counts for the verdict
};

/// Compares three recordings of the same columns at the points of the coarsest run. `tolerance` is the relative one of
/// the solvers that took part, zero without any: smaller differences are theirs.
[[nodiscard]] Convergence convergence(const std::vector<ComparedColumn>& columns,
                                      const std::vector<std::vector<double>>& runs, double tolerance);

/// Runs the system at its step, half and a quarter of it, all from the same equilibrium where one is asked for.
[[nodiscard]] Convergence converge(const runs::RunRequest& request, base::Diagnostics& diagnostics, base::Log& log,
                                   runs::Board* board = nullptr);

}  // namespace master::analysis
