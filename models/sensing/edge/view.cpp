#include "models/sensing/edge/view.hpp"

#include <cmath>
#include <limits>

namespace models::edge {

std::optional<double> highest_visible(const View& view, double radius, double azimuth) {
    // On the cone: axis . d = cos(half_angle) |d| with d = (x, y, height), squared; an equation of degree 2 in height.
    const double x = radius * std::cos(azimuth) - view.position[0], y = radius * std::sin(azimuth) - view.position[1];
    const double along = x * view.axis[0] + y * view.axis[1], up = view.axis[2];
    const double share = std::pow(std::cos(view.half_angle), 2);
    const double a = share - up * up, b = along * up, c = along * along - share * (x * x + y * y);
    if (a <= 0) {
        if (up > 0) return std::numeric_limits<double>::infinity();
        return std::nullopt;
    }
    const double root = b * b + a * c;
    if (root < 0) return std::nullopt;
    const double height = (b + std::sqrt(root)) / a;
    if (along + height * up <= 0) return std::nullopt;  // the cone behind the sensor
    return view.position[2] + height;
}

}  // namespace models::edge
