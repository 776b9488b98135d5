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
    double jitter = 0;  // s by which a jump may come earlier or later for no other reason than the steps
};

/// How far the two are apart.
struct Difference {
    double range = 0;  // of the values before
    double peak = 0, peak_time = 0;
    std::optional<double> lasting;  // the largest that stands for longer than the jitter; nothing: not measured
    double rms = 0;
    double at_start = 0;
    double at_end = 0;
    std::optional<double> at_rest;  // mean of the last tenth, where neither moves any more
    std::optional<double> shift;    // s by which the second comes later; nothing where a shift explains nothing
};
[[nodiscard]] Difference difference(const SignalPair& pair);

/// What is left of a difference without errors that are known at every point, as a share of its rms.
struct Remainder {
    double without_solvers = 1, without_both = 1;  // those of the solvers; those of the coupling, too
};

/// What the difference is measured against.
struct Uncertainty {
    std::optional<double> coupling;  // sum of both runs' coupling errors; nothing: a run has no error bar
    double solver = 0;               // relative tolerance of the solvers; smaller differences are theirs
    double solver_errors = 0;        // what a smaller tolerance changes, of both runs together
    std::optional<Remainder> left;   // nothing: not known
    bool converged = true;           // both runs' coupling has
    std::string missing;             // why there is no error bar
    double noise = 0;                // what other seeds of the units change, of both runs together
    bool common_noise = true;        // both runs have the same noise: it is in their error bars, not in the difference
};

struct Judgement {
    Verdict verdict = Verdict::cannot_tell;
    std::string reason;
};
/// A difference is physics only where it is several times what the errors and the noise explain, and coupling only
/// where it goes when they are taken away.
[[nodiscard]] Judgement judge(const Difference& difference, const Uncertainty& uncertainty);
/// The same of a part of a run: that nothing is found there, or coupling alone, holds only where the rest differs by no
/// more. `ended` says why only a part can be judged.
[[nodiscard]] Judgement judge_part(const Difference& part, const Difference& rest, const Uncertainty& uncertainty,
                                   const std::string& ended);

}  // namespace master::analysis
