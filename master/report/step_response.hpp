#pragma once

#include "master/report/report_file.hpp"
#include "master/results/table.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace master::report {

/// A controlled quantity from the moment of a step on, until the next step or the end.
struct StepWindow {
    std::span<const double> time, target, measured;
    double before = 0;  // the measured value when the step came
};

/// What a tuner wants to know of one step. Times count from the step; what did not happen in the window is missing.
struct StepMetrics {
    std::optional<double> rise_time;      // from 10 % to 90 % of the way to the target; of a step in the target only
    double overshoot = 0;                 // beyond the target, as a share of the way; 0 for a step in the load
    double deviation = 0;                 // the largest from where it was before a step in the load
    std::optional<double> settling_time;  // until the quantity stays within 2 % (of the way, or of the deviation)
    double steady_error = 0;              // target - measured at the end of the window
    double absolute_error = 0;            // the integral of |target - measured|
};
/// Of a step in the target: the way is that from the measured value before to the target.
[[nodiscard]] StepMetrics target_step(const StepWindow& window);
/// Of a step in the load, which should not move the quantity: it settles around where it ends.
[[nodiscard]] StepMetrics load_step(const StepWindow& window);

/// A step that was found in a result.
struct StepResponse {
    std::string label, cause;  // cause: "target" or "load"
    double t = 0;              // s
    double from = 0, to = 0;   // of the target as it is shown, or of the load
    StepMetrics metrics;       // as they are shown
    std::string unit;
    std::optional<double> peak_pressure;  // Pa, the highest in the window
};

/// Every step in the targets and loads that a system names, in the order of the wishes, until the next step of any of
/// them. A change that takes several rows is one step, which begins with it. What was not recorded is left out.
[[nodiscard]] std::vector<StepResponse> step_responses(const results::Table& table,
                                                       std::span<const WishedSteps> wishes);

/// One line for the terminal, without the label.
[[nodiscard]] std::string text_of(const StepResponse& response);

}  // namespace master::report
