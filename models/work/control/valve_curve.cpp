#include "models/work/control/valve_curve.hpp"

#include <array>
#include <cmath>

namespace models::control {

namespace {

// Where the curve bends; between two of these it is straight.
constexpr std::array bends{0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0};

}  // namespace

double command_for(double speed, const motion::Speeds& full) {
    if (speed == 0) return 0;
    const double sign = speed > 0 ? 1 : -1;
    double below = 0;
    for (std::size_t i = 1; i < bends.size(); ++i) {
        const double above = std::abs(motion::steady_speed(sign * bends[i], full));
        if (std::abs(speed) <= above) {
            const double part = (std::abs(speed) - below) / (above - below);
            return sign * (bends[i - 1] + part * (bends[i] - bends[i - 1]));
        }
        below = above;
    }
    return sign;
}

}  // namespace models::control
