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

/// What one input does to all outputs.
using Effect = std::vector<Series>;

/// How alike the answers are: for each one of the old unit the best of the new one.
[[nodiscard]] inline double likeness(const Effect& before, const std::vector<std::size_t>& answers,
                                     const Effect& after) {
    double sum = 0;
    for (const std::size_t o : answers) {
        double best = 0;
        for (const Series& other : after) {
            const double size = std::sqrt(dot(before[o], before[o]) * dot(other, other));
            if (size > 0) best = std::max(best, std::fabs(dot(before[o], other)) / size);
        }
        sum += best;
    }
    return answers.empty() ? 0 : sum / static_cast<double>(answers.size());
}

}  // namespace master::analysis
