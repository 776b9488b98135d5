#pragma once

#include "master/runs/prepare.hpp"

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

}  // namespace master::analysis
