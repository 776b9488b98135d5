#include "master/analysis/linear/margins.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace master::analysis {
namespace {

constexpr int search_points = 2000;
constexpr int bisections = 60;

/// Where `f` changes its sign between two frequencies.
double crossing(const std::function<double(double)>& f, double low, double high) {
    const bool rises = f(high) > 0;
    for (int i = 0; i < bisections; ++i) {
        const double middle = std::sqrt(low * high);
        ((f(middle) > 0) == rises ? high : low) = middle;
    }
    return std::sqrt(low * high);
}

}  // namespace

Margins margins(const std::function<std::complex<double>(double)>& loop, double low, double high) {
    Margins result;
    const std::function<double(double)> gain = [&](double f) { return std::log(std::abs(loop(f))); };
    const std::function<double(double)> side = [&](double f) { return loop(f).imag(); };
    double before = low;
    std::complex<double> last = loop(low);
    for (int i = 1; i <= search_points; ++i) {
        const double f = low * std::pow(high / low, static_cast<double>(i) / search_points);
        const std::complex<double> now = loop(f);
        if ((std::abs(last) > 1) != (std::abs(now) > 1)) {
            const double at = crossing(gain, before, f);
            const double turned = std::arg(-loop(at));  // from the critical point: 0 is there
            const double degrees = turned * 180 / std::numbers::pi;
            const double delay = (turned > 0 ? turned : turned + 2 * std::numbers::pi) / (2 * std::numbers::pi * at);
            if (!result.phase || std::fabs(degrees) < std::fabs(result.phase->degrees))
                result.phase = {degrees, at, delay};
            result.delay = std::min(result.delay.value_or(delay), delay);
        }
        if ((last.imag() > 0) != (now.imag() > 0) && last.real() < 0 && now.real() < 0) {
            const double at = crossing(side, before, f);
            const double factor = 1 / std::abs(loop(at));
            if (factor >= 1 && (!result.upper || factor < result.upper->factor)) result.upper = {factor, at};
            if (factor < 1 && (!result.lower || factor > result.lower->factor)) result.lower = {factor, at};
        }
        before = f;
        last = now;
    }
    return result;
}

}  // namespace master::analysis
