#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace master::core {

/// Slopes of several values in one direction, by differences whose increment is checked.
struct CheckedSlopes {
    std::vector<double> slopes;
    double doubt = 0;    // the largest share of a slope that an increment ten times smaller changes
    bool smooth = true;  // the slopes to both sides are the same
};

/// `values_at(distance)` returns the values so far from here; so many of them as `group` says belong together.
/// Increments are shares of `scale`; each group takes the one at which its central differences change least: larger
/// ones see curvature, smaller ones rounding.
template <class ValuesAt>
[[nodiscard]] CheckedSlopes checked_slopes(ValuesAt&& values_at, double scale, std::size_t group = 1) {
    constexpr std::array shares{1e-2, 1e-3, 1e-4, 1e-5, 1e-6};
    constexpr double negligible = 1e-6;  // of a value: a slope that moves it by less over the whole scale
    constexpr double kink = 0.1;         // share by which the slopes to both sides differ
    constexpr double infinite = std::numeric_limits<double>::infinity();
    const std::vector<double> here = values_at(0.0);
    std::vector<double> last(here.size(), 0);
    std::vector<double> change(here.size() / group, infinite), bend = change;
    CheckedSlopes result{.slopes = last};
    for (std::size_t k = 0; k < shares.size(); ++k) {
        const double increment = shares[k] * scale;
        const std::vector<double> up = values_at(increment);
        const std::vector<double> down = values_at(-increment);
        std::vector<double> central(here.size());
        for (std::size_t g = 0; g < change.size(); ++g) {
            double size = 0, bent = 0, changed = 0;
            for (std::size_t i = g * group; i < (g + 1) * group; ++i) {
                central[i] = (up[i] - down[i]) / (2 * increment);
                const double forward = (up[i] - here[i]) / increment, backward = (here[i] - down[i]) / increment;
                size =
                    std::max({size, std::fabs(forward), std::fabs(backward), negligible * std::fabs(here[i]) / scale});
                bent = std::max(bent, std::fabs(forward - backward));
                changed = std::max(changed, std::fabs(central[i] - last[i]));
                if (!std::isfinite(central[i])) result.smooth = false;
            }
            bend[g] = std::min(bend[g], size > 0 ? bent / size : 0);
            changed = size > 0 ? changed / size : 0;
            if (k == 0 || !(changed < change[g])) continue;
            change[g] = changed;
            std::copy_n(central.begin() + static_cast<std::ptrdiff_t>(g * group), group,
                        result.slopes.begin() + static_cast<std::ptrdiff_t>(g * group));
        }
        last = central;
    }
    for (std::size_t g = 0; g < change.size(); ++g) {
        result.doubt = std::max(result.doubt, change[g]);
        result.smooth = result.smooth && bend[g] <= kink;
    }
    return result;
}

}  // namespace master::core
