#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace master::analysis {

/// Values of a signal at the points of a trial.
using Series = std::vector<double>;

[[nodiscard]] inline double largest(const Series& values) {
    double result = 0;
    for (const double value : values) result = std::max(result, std::fabs(value));
    return result;
}

/// Value by value.
[[nodiscard]] inline Series minus(Series a, const Series& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
    return a;
}

[[nodiscard]] inline double dot(const Series& a, const Series& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

/// a = gain * b + offset by least squares, and the share of a's variance that it explains.
struct Fit {
    double gain = 0, offset = 0, quality = 0;
};
[[nodiscard]] inline Fit fit(const Series& a, const Series& b) {
    const auto n = static_cast<double>(a.size());
    double mean_a = 0, mean_b = 0;
    for (std::size_t i = 0; i < a.size(); ++i) mean_a += a[i] / n, mean_b += b[i] / n;
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        ab += (a[i] - mean_a) * (b[i] - mean_b);
        aa += (a[i] - mean_a) * (a[i] - mean_a);
        bb += (b[i] - mean_b) * (b[i] - mean_b);
    }
    if (aa <= 0 || bb <= 0) return {};
    return {ab / bb, mean_a - ab / bb * mean_b, ab * ab / (aa * bb)};
}

/// How far a is from gain * b.
struct Distance {
    double mean = 0, rms = 0;    // rms around the mean
    double range = 0, size = 0;  // of a
};
[[nodiscard]] inline Distance distance_of(const Series& a, const Series& b, double gain) {
    const auto n = static_cast<double>(a.size());
    Distance result;
    for (std::size_t i = 0; i < a.size(); ++i) result.mean += (a[i] - gain * b[i]) / n;
    for (std::size_t i = 0; i < a.size(); ++i) result.rms += std::pow(a[i] - gain * b[i] - result.mean, 2) / n;
    result.rms = std::sqrt(result.rms);
    const auto [low, high] = std::ranges::minmax(a);
    result.range = high - low;
    result.size = largest(a);
    return result;
}

/// What one input does to all outputs.
using Effect = std::vector<Series>;

/// By how much a new output is to be multiplied to be an old one, but for the sign; NaN where nobody says, 0 where it
/// cannot be that one. By old output, then by new one.
using OutputGains = std::vector<std::vector<double>>;

/// How alike two answers are: their shape, and their size where a gain is known.
[[nodiscard]] inline double likeness(const Series& before, const Series& after, double gain) {
    const double own = std::sqrt(dot(before, before)), other = std::sqrt(dot(after, after));
    if (gain == 0 || own <= 0 || other <= 0) return 0;
    const double shape = std::fabs(dot(before, after)) / (own * other);
    if (std::isnan(gain)) return shape;
    const double ratio = own / (gain * other);
    return shape * std::min(ratio, 1 / ratio);
}

/// The same for all answers: for each one of the old unit the best of the new one. What the new unit has no output for
/// says nothing.
[[nodiscard]] inline double likeness(const Effect& before, const std::vector<std::size_t>& answers, const Effect& after,
                                     const OutputGains& gains) {
    double sum = 0;
    std::size_t count = 0;
    for (const std::size_t o : answers) {
        if (std::ranges::all_of(gains[o], [](double gain) { return gain == 0; })) continue;
        double best = 0;
        for (std::size_t p = 0; p < after.size(); ++p)
            best = std::max(best, likeness(before[o], after[p], gains[o][p]));
        sum += best;
        ++count;
    }
    return count == 0 ? 0 : sum / static_cast<double>(count);
}

/// The signal that fits another one best, and the next.
struct BestFits {
    std::size_t best = 0, second = 0;  // places
    Fit fit, next;
};
template <typename Counts>
[[nodiscard]] BestFits best_fits(const Series& values, const std::vector<Series>& candidates, const Counts& counts) {
    BestFits result;
    for (std::size_t p = 0; p < candidates.size(); ++p) {
        if (!counts(p)) continue;
        const Fit found = fit(values, candidates[p]);
        const bool better = found.quality > result.fit.quality;
        if (better || found.quality > result.next.quality) {
            result.next = better ? result.fit : found;
            result.second = better ? result.best : p;
        }
        if (better) result.best = p, result.fit = found;
    }
    return result;
}

/// How well the best of some signals fits another one.
[[nodiscard]] inline double best_fit(const Series& values, const std::vector<Series>& candidates) {
    double best = 0;
    for (const Series& one : candidates) best = std::max(best, fit(values, one).quality);
    return best;
}

/// The same for several signals, on average.
[[nodiscard]] inline double mean_fit(const std::vector<const Series*>& wanted, const std::vector<Series>& candidates) {
    double sum = 0;
    for (const Series* one : wanted) sum += best_fit(*one, candidates);
    return wanted.empty() ? 0 : sum / static_cast<double>(wanted.size());
}

/// How many of them are followed with their sign, less those that are turned.
[[nodiscard]] inline int signs_kept(const std::vector<const Series*>& wanted, const std::vector<Series>& candidates) {
    int kept = 0;
    for (const Series* one : wanted)
        kept += best_fits(*one, candidates, [](std::size_t) { return true; }).fit.gain > 0 ? 1 : -1;
    return kept;
}

}  // namespace master::analysis
