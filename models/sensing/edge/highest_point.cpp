#include "models/sensing/edge/highest_point.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace models::edge {

namespace {

/// Q(x): the share of a standard normal distribution above x.
double upper_share(double x) { return 0.5 * std::erfc(x * std::numbers::sqrt2 / 2); }

/// L(x) = phi(x) - x Q(x): the mean excess of a standard normal number over x.
double excess(double x, double share_above) {
    return std::exp(-x * x / 2) * std::numbers::inv_sqrtpi * std::numbers::sqrt2 / 2 - x * share_above;
}

/// The inverse of L for y > 0. L falls and is convex, so Newton's iteration from below never passes the root.
double inverse_excess(double y) {
    if (y < 1e-300) return 37;      // where L ends in double precision
    double x = y > 0.3 ? -y : 0.0;  // L(x) > -x everywhere, L(0) = 0.4
    for (int i = 0; i < 100; ++i) {
        const double slope = upper_share(x);
        // In logarithms above 0, where L falls by powers of ten.
        const double value = excess(x, slope);
        const double step = x > 0 ? std::log(value / y) * value / slope : (value - y) / slope;
        x += step;
        if (std::abs(step) < 1e-13 * std::max(1.0, std::abs(x))) break;
    }
    return x;
}

}  // namespace

double points_above(const Cloud& cloud, double error) {
    const double per_metre = cloud.density * cloud.width;
    if (cloud.noise == 0) return per_metre * std::max(0.0, -error);
    const double x = error / cloud.noise;
    return per_metre * cloud.noise * excess(x, upper_share(x));
}

double level_with(const Cloud& cloud, double mean) {
    const double per_metre = cloud.density * cloud.width;
    if (cloud.noise == 0) return -mean / per_metre;
    return cloud.noise * inverse_excess(mean / (per_metre * cloud.noise));
}

double quantile_of_highest(const Cloud& cloud, double probability) { return level_with(cloud, -std::log(probability)); }

double median_error(const Cloud& cloud, std::size_t rank) {
    const auto k = static_cast<double>(rank);
    return level_with(cloud, k - 1.0 / 3 + 8 / (405 * k));
}

}  // namespace models::edge
