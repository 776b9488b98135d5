#pragma once

#include "master/analysis/linear/margins.hpp"
#include "master/analysis/linear/state_space.hpp"
#include "master/build/options.hpp"

#include <complex>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace master::analysis {

/// A measurement by stepped sines.
struct Sweep {
    double from = 0, to = 0;               // Hz
    std::size_t points = 20;               // evenly over the logarithm
    std::optional<double> amplitude = {};  // of the input; half of it the second time. Nothing: by its value
    double wait = 0;                       // s at each frequency before it is measured, at least
};

struct LinearRequest {
    build::BuildOptions build;
    std::filesystem::path scenario;  // empty: none
    std::string at;                  // s, as typed; empty: the start
    std::string input, output;       // names; both empty: the modes alone, or a wire is broken
    std::string broken;              // "a.x -> b.u", or its receiver "b.u"; empty: none
    std::optional<Sweep> sine;

    [[nodiscard]] bool modes_only() const { return input.empty() && output.empty() && broken.empty(); }
};

/// One frequency at one amplitude.
struct SinePoint {
    double frequency = 0;           // Hz
    std::complex<double> response;  // output by input
    double distortion = 0;          // harmonics by the fundamental, rms
    bool settled = true;            // both halves of what was measured say the same
};
struct SteppedSine {
    struct Run {
        double amplitude = 0;
        std::vector<SinePoint> points;
    };
    std::vector<Run> runs;
};

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

}  // namespace master::analysis
