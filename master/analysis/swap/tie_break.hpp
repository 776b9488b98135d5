#pragma once

#include "master/analysis/swap/proposal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace master::analysis {

/// The factors between an old and a new input that a trial tells least apart.
struct BestFactors {
    std::vector<double> tied;
    double quality = -1;
};
/// `quality(factor)` is R^2 of a replay with it, or negative where the unit refuses.
template <typename Quality>
[[nodiscard]] BestFactors best_factors(const std::vector<double>& factors, const Quality& quality) {
    constexpr double same_quality = 1e-9;
    BestFactors result;
    for (const double factor : factors) {
        const double found = quality(factor);
        if (found > result.quality + same_quality) result.tied.clear();
        if (found > result.quality - same_quality) result.tied.push_back(factor);
        result.quality = std::max(result.quality, found);
    }
    return result;
}

/// True where a factor that is a tenth larger or smaller is better: then the true one is none of those that were tried.
template <typename Quality>
[[nodiscard]] bool better_beside(double factor, double found, const Quality& quality) {
    constexpr double beside = 1.1, clearly = 1e-6;
    return quality(factor * beside) > found + clearly || quality(factor / beside) > found + clearly;
}

/// Of a linear unit every factor of an input fits, where those of the outputs go with it: all of them make the same
/// system. The description says the unit, and of both signs that is taken which leaves more outputs theirs; nothing
/// where the description names no unit.
template <typename Kept>
[[nodiscard]] std::optional<double> factor_by_description(const NamedVariable& before, const NamedVariable& after,
                                                          const std::vector<double>& tied, const Kept& signs_kept) {
    const std::optional<double> described = described_factor(before, after);
    std::optional<double> result;
    int most = std::numeric_limits<int>::min();
    for (const double factor : tied) {
        if (!described || std::fabs(std::fabs(factor / *described) - 1) > 1e-9) continue;
        const int kept = signs_kept(factor);
        if (kept <= most) continue;
        most = kept;
        result = factor;
    }
    return result;
}

}  // namespace master::analysis
