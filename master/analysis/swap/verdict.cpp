#include "master/analysis/swap/verdict.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace master::analysis {
namespace {

// Richardson's estimate of a coupling error is itself good to a factor of about two while the step is not far from the
// range where the error shrinks by its order.
constexpr double explained = 2;
constexpr double clearly_more = 4;
/// Of the rms difference: where errors that are good to that factor are taken away and less is left, it was theirs.
constexpr double mostly_gone = 0.5;
/// Relative rounding of values that went through many operations, and through another order of the same ones.
constexpr double value_rounding = 1e-10;
/// Of the range: what moves less in the last tenth is at rest.
constexpr double standing = 0.01;
constexpr double last_part = 0.1;
/// Of the rms difference: what a shift in time must take away to be named.
constexpr double worth_naming = 0.5;
constexpr double longest_shift = 0.1;  // of the run

struct Extent {
    double low, high;
    [[nodiscard]] double range() const { return high - low; }
    [[nodiscard]] double size() const { return std::max(std::fabs(low), std::fabs(high)); }
};

Extent extent(std::span<const double> values) {
    const auto [low, high] = std::ranges::minmax(values);
    return {low, high};
}

double rms_of_shifted(const SignalPair& pair, std::ptrdiff_t lag) {
    double sum = 0;
    std::size_t count = 0;
    const auto size = static_cast<std::ptrdiff_t>(pair.before.size());
    for (std::ptrdiff_t i = std::max<std::ptrdiff_t>(0, -lag); i < std::min(size, size - lag); ++i) {
        const double d = pair.after[static_cast<std::size_t>(i + lag)] - pair.before[static_cast<std::size_t>(i)];
        sum += d * d;
        ++count;
    }
    return count == 0 ? INFINITY : std::sqrt(sum / static_cast<double>(count));
}

/// The lag with the smallest rms difference; times are taken to be evenly spaced. A parabola through the squares at the
/// best lag and its neighbours gives the fraction of a step.
std::optional<double> time_shift(const SignalPair& pair, double rms) {
    const std::size_t size = pair.time.size();
    if (size < 20 || rms == 0) return std::nullopt;
    const double spacing = (pair.time.back() - pair.time.front()) / static_cast<double>(size - 1);
    const auto most = static_cast<std::ptrdiff_t>(longest_shift * static_cast<double>(size));
    std::ptrdiff_t best = 0;
    double least = rms;
    for (std::ptrdiff_t lag = -most; lag <= most; ++lag) {
        const double found = rms_of_shifted(pair, lag);
        if (found < least) {
            least = found;
            best = lag;
        }
    }
    const double left = rms_of_shifted(pair, best - 1), here = rms_of_shifted(pair, best),
                 right = rms_of_shifted(pair, best + 1);
    const double curvature = left * left - 2 * here * here + right * right;
    const double fraction = curvature > 0 ? (left * left - right * right) / (2 * curvature) : 0;
    const double remaining =
        curvature > 0 ? std::sqrt(std::max(0.0, here * here - curvature * fraction * fraction / 2)) : here;
    if (remaining > worth_naming * rms || std::abs(best) == most) return std::nullopt;
    return (static_cast<double>(best) + std::clamp(fraction, -1.0, 1.0)) * spacing;
}

/// The largest difference that stands for longer than a jump may be off.
double lasting_peak(const SignalPair& pair, double peak) {
    const auto difference_at = [&](std::size_t i) { return std::fabs(pair.after[i] - pair.before[i]); };
    const std::size_t size = pair.time.size();
    const double half = pair.jitter / 2 * (1 + 1e-9);
    if (size < 3 || pair.time.back() - pair.time.front() < 2 * half) return peak;
    double result = 0;
    for (std::size_t i = 1, first = 0; i + 1 < size; ++i) {
        if (pair.time[i] - half < pair.time.front() || pair.time[i] + half > pair.time.back()) continue;
        while (first + 1 < i && pair.time[first] < pair.time[i] - half) ++first;
        double least = INFINITY;
        for (std::size_t j = first; j < size && (j <= i + 1 || pair.time[j] <= pair.time[i] + half); ++j)
            least = std::min(least, difference_at(j));
        result = std::max(result, least);
    }
    return result;
}

}  // namespace

std::string_view to_string(Verdict verdict) {
    static constexpr std::array names{"no difference", "coupling", "physics", "cannot tell"};
    return names[static_cast<std::size_t>(verdict)];
}

Difference difference(const SignalPair& pair) {
    Difference result;
    if (pair.time.empty()) return result;
    const Extent before = extent(pair.before), after = extent(pair.after);
    result.range = before.range();
    double squares = 0;
    for (std::size_t i = 0; i < pair.time.size(); ++i) {
        const double d = pair.after[i] - pair.before[i];
        squares += d * d;
        if (std::fabs(d) <= result.peak && !std::isnan(d)) continue;
        result.peak = std::fabs(d);
        result.peak_time = pair.time[i];
    }
    result.rms = std::sqrt(squares / static_cast<double>(pair.time.size()));
    result.at_start = pair.after.front() - pair.before.front();
    result.at_end = pair.after.back() - pair.before.back();
    const auto last =
        std::max<std::size_t>(2, static_cast<std::size_t>(last_part * static_cast<double>(pair.time.size())));
    if (last <= pair.time.size()) {
        const auto a = pair.before.last(last), b = pair.after.last(last);
        const double widest = std::max(before.range(), after.range());
        if (extent(a).range() <= standing * widest && extent(b).range() <= standing * widest) {
            double sum = 0;
            for (std::size_t i = 0; i < last; ++i) sum += b[i] - a[i];
            result.at_rest = sum / static_cast<double>(last);
        }
    }
    result.shift = time_shift(pair, result.rms);
    if (pair.jitter > 0) result.lasting = lasting_peak(pair, result.peak);
    return result;
}

Judgement judge(const Difference& difference, const Uncertainty& uncertainty) {
    const double size = std::max(difference.range, std::fabs(difference.peak));
    if (std::isnan(difference.rms)) return {Verdict::cannot_tell, "a value is not a number"};
    if (difference.peak <= value_rounding * size || difference.peak == 0) return {Verdict::no_difference, "equal"};
    if (difference.peak <= uncertainty.solver * size)
        return {Verdict::no_difference, "within the tolerance of the solvers"};
    const double noise = uncertainty.common_noise ? 0 : uncertainty.noise;
    if (difference.peak <= explained * noise)
        return {Verdict::cannot_tell,
                fmt::format("noise: {:.2g} times what other seeds change", difference.peak / noise)};
    if (!uncertainty.coupling) return {Verdict::cannot_tell, "no error bar: " + uncertainty.missing};
    const double errors = std::max(*uncertainty.coupling + uncertainty.solver_errors, value_rounding * size);
    const std::string named = uncertainty.solver_errors > 0 ? "errors of coupling and solvers" : "coupling errors";
    const double ratio = difference.peak / errors;
    if (ratio <= explained && uncertainty.noise > 0 && errors <= clearly_more * uncertainty.noise)
        return {Verdict::cannot_tell, "the error bars may be noise themselves: other seeds change as much"};
    if (!uncertainty.converged)
        return {Verdict::cannot_tell, "the coupling of a run has not converged, its error bar is no measure"};
    const Remainder left = uncertainty.left.value_or(Remainder{});
    if (ratio <= explained && left.without_solvers <= mostly_gone)
        return {Verdict::no_difference,
                fmt::format("{:.2g} % is left at a smaller tolerance of the solvers", 100 * left.without_solvers)};
    if (ratio <= explained && left.without_both <= mostly_gone)
        return {Verdict::coupling, fmt::format("{:.2g} times the {}; {:.2g} % is left without them", ratio, named,
                                               100 * left.without_both)};
    if (ratio <= explained)
        return {Verdict::cannot_tell, fmt::format("{:.2g} times the {}, which may hide something else", ratio, named)};
    if (ratio < clearly_more)
        return {Verdict::cannot_tell, fmt::format("{:.2g} times the {}, which are estimates", ratio, named)};
    if (difference.lasting.value_or(difference.peak) < clearly_more * errors)
        return {Verdict::cannot_tell, "a jump that comes at another time, by no more than two steps"};
    if (noise > 0 && difference.peak < clearly_more * (errors + noise))
        return {Verdict::cannot_tell, fmt::format("{:.2g} times errors and noise", difference.peak / (errors + noise))};
    return {Verdict::physics,
            ratio > 1e6 ? "far beyond the " + named : fmt::format("{:.3g} times the {}", ratio, named)};
}

Judgement judge_part(const Difference& part, const Difference& rest, const Uncertainty& uncertainty,
                     const std::string& ended) {
    Judgement found = judge(part, uncertainty);
    if (found.verdict != Verdict::no_difference && found.verdict != Verdict::coupling) return found;
    if (judge(rest, uncertainty).verdict <= found.verdict) return found;
    return {Verdict::cannot_tell, ended};
}

}  // namespace master::analysis
