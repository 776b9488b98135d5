#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace master::analysis {

/// What the difference between two runs of a signal comes from.
enum class Verdict : std::uint8_t { no_difference, coupling, physics, cannot_tell };
[[nodiscard]] std::string_view to_string(Verdict verdict);

/// One signal in two runs, at the same times and in the same unit.
struct SignalPair {
    std::span<const double> time, before, after;
};

/// How far the two are apart.
struct Difference {
    double range = 0;  // of the values before
    double peak = 0, peak_time = 0;
    double rms = 0;
    double at_start = 0;
    double at_end = 0;
    std::optional<double> at_rest;  // mean of the last tenth, where neither moves any more
    std::optional<double> shift;    // s by which the second comes later; nothing where a shift explains nothing
};
[[nodiscard]] Difference difference(const SignalPair& pair);

/// What the difference is measured against.
struct Uncertainty {
    std::optional<double> coupling;  // sum of both runs' coupling errors; nothing: a run has no error bar
    double solver = 0;               // relative tolerance of the solvers; smaller differences are theirs
    bool converged = true;           // both runs' coupling has
    std::string missing;             // why there is no error bar
};

struct Judgement {
    Verdict verdict = Verdict::cannot_tell;
    std::string reason;
};
/// A difference is physics only where it is several times what the coupling errors explain.
[[nodiscard]] Judgement judge(const Difference& difference, const Uncertainty& uncertainty);

}  // namespace master::analysis
