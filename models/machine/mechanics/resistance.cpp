#include "models/machine/mechanics/resistance.hpp"

#include <algorithm>
#include <cmath>

namespace models::mechanics {

Resistance Friction::against(double velocity) const {
    Resistance result{.force = viscous * velocity, .damping = viscous};
    const double slip = velocity / stribeck_velocity;
    const double step = velocity / smoothing_velocity;
    // exp(-40) and 1 - tanh(20) are below the rounding of the terms they are added to.
    const double fading = slip * slip < 40 ? (breakaway - coulomb) * std::exp(-slip * slip) : 0;
    const double sign = std::abs(step) < 20 ? std::tanh(step) : std::copysign(1.0, step);
    result.force += (coulomb + fading) * sign;
    const double slope =
        (coulomb + fading) * (1 - sign * sign) / smoothing_velocity - 2 * slip * fading * sign / stribeck_velocity;
    result.damping = std::max(0.0, result.damping + slope);
    return result;
}

Resistance EndStops::against(double position, double velocity) const {
    if (position < lower) {
        const bool compressing = velocity < 0;
        return {.force = stiffness * (position - lower) + (compressing ? damping * velocity : 0),
                .damping = compressing ? damping : 0,
                .stiffness = stiffness};
    }
    if (position > upper) {
        const bool compressing = velocity > 0;
        return {.force = stiffness * (position - upper) + (compressing ? damping * velocity : 0),
                .damping = compressing ? damping : 0,
                .stiffness = stiffness};
    }
    return {};
}

}  // namespace models::mechanics
