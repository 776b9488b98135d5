#include "models/work/control/jaw.hpp"

#include <algorithm>

namespace models::control {

void Jaw::begin(double place) {
    *this = {};
    estimate = target = place;
}

void Jaw::aim(double place, const JawParameters& parameters) {
    target = std::clamp(place, parameters.lower, parameters.upper);
    standing = 0;
    // An end is driven against even if the jaw is believed to be there: that is where the estimate is renewed.
    const bool opens = target == parameters.lower || (target < estimate && target != parameters.upper);
    const double speed = opens ? parameters.speeds.retract : parameters.speeds.extend;
    const double way = opens ? estimate - target : target - estimate;
    const bool end = target == parameters.lower || target == parameters.upper;
    left = std::max(way, 0.0) / speed;
    if (end && !known) left = (parameters.upper - parameters.lower) / speed;
    if (end) left = parameters.allowance * left + 10 * parameters.settling;
    command = opens ? -1 : 1;
    if (left <= 0) command = 0;
}

void Jaw::step(double h, const JawPressures& pressures, const JawParameters& parameters) {
    if (command == 0) return;
    const double speed = command > 0 ? parameters.speeds.extend : -parameters.speeds.retract;
    estimate = std::clamp(estimate + speed * h, parameters.lower, parameters.upper);
    left -= h;
    const double pressure = command > 0 ? pressures.a : pressures.b;
    standing = pressure > parameters.share * parameters.relief_pressure ? standing + h : 0;
    const bool stands = standing >= parameters.settling;
    if (!stands && left > 0) return;
    if (stands) estimate = command > 0 ? parameters.upper : parameters.lower;
    known = known || stands;
    command = 0;
}

}  // namespace models::control
