#pragma once

#include "master/build.hpp"

#include <string>
#include <vector>

namespace master {

/// What three runs at h, h/2 and h/4 tell about one signal.
struct SignalConvergence {
    std::string name;
    double range = 0;       // largest - smallest value at the finest step
    double coarse = 0;      // largest |y_h - y_h/2|
    double fine = 0;        // largest |y_h/2 - y_h/4|
    double order = 0;       // log2(coarse / fine); NaN where both are rounding
    double error_at_h = 0;  // Richardson estimate of the error at h
};

struct Convergence {
    Fraction step;
    std::vector<SignalConvergence> signals;  // largest relative error first
    double order = 0;                        // median over signals that differ by more than rounding
};

/// Compares three recordings of the same columns at the points of the coarsest run.
[[nodiscard]] Convergence convergence(const std::vector<std::string>& names,
                                      const std::vector<std::vector<double>>& runs);

/// Runs the system at its step, half and a quarter of it.
[[nodiscard]] Convergence converge(const BuildOptions& options, Diagnostics& diagnostics, Log& log);

}  // namespace master
