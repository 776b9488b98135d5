#pragma once

#include "master/analysis/linear/linear_request.hpp"
#include "master/analysis/linear/margins.hpp"
#include "master/analysis/linear/state_space.hpp"
#include "master/base/log.hpp"
#include "master/runs/board.hpp"
#include "master/runs/prepare.hpp"

#include <complex>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace master::analysis {

/// How the model of a unit came about.
struct LinearizedUnit {
    std::string name, origin;
    std::size_t states = 0;
    double step = 0;              // s
    double doubt = 0;             // of finite differences
    std::optional<double> error;  // distance to measured pulses, as a share
    bool measured = false;        // the model is made of those pulses
};

/// A linear system around a time of a run, sampled as it is coupled, and continuous where its units tell their states.
struct Linearization {
    double at = 0, step = 0;  // s; a sample of the whole system
    std::string input, output, input_unit, output_unit;
    double input_value = 0, output_value = 0;  // there
    bool open = false;                         // a wire is broken: from its receiver to its sender
    std::vector<LinearizedUnit> units;
    std::string hidden;  // why there is no model at all; empty: there is
    StateSpace sampled;
    Modes modes;
    std::optional<StateSpace> continuous;
    Modes continuous_modes;
    std::string no_continuous;  // why there is none
    std::vector<double> frequencies;
    std::vector<std::complex<double>> response, continuous_response;
    std::optional<double> delay;                         // s that sampling and coupling add, at a hundredth of the rate
    std::optional<Margins> margins, continuous_margins;  // of an open loop
    Modes closed_modes;                                  // and of the system with the loop closed
    std::optional<SteppedSine> sine;
};

/// Runs the system to the time and looks at it there.
[[nodiscard]] Linearization linearize(const LinearRequest& request, base::Diagnostics& diagnostics, base::Log& log,
                                      runs::Board* board = nullptr);

}  // namespace master::analysis
