#include "models/work/control/reference.hpp"

#include <algorithm>
#include <cmath>

namespace models::control {

void Reference::rest_at(double place) {
    *this = {};
    position = start = end = place;
}

void Reference::aim(double target, double period, const ReferenceLimits& limits) {
    const double distance = std::abs(target - position);
    // A cubic from rest to rest has 1.5 times its mean speed and an acceleration of 6 distances per time squared.
    const double needed = std::max(1.5 * distance / limits.speed, std::sqrt(6 * distance / limits.acceleration));
    const double pace = (target - end) / period;
    const bool follows = std::abs(target - position) <= limits.speed * period;
    if (follows) return begin(target, std::clamp(pace, -limits.speed, limits.speed), period);
    begin(target, 0, std::max(period, needed));
}

void Reference::begin(double target, double target_velocity, double time) {
    start = position;
    start_velocity = velocity;
    end = target;
    end_velocity = target_velocity;
    duration = time;
    elapsed = 0;
    moving = true;
    passing = target_velocity != 0;
}

void Reference::step(double h) {
    if (!moving) return;
    elapsed += h;
    if (elapsed >= duration && passing) {
        // No further target came in time: come to rest at the last one.
        position = end;
        velocity = end_velocity;
        return begin(end, 0, duration);
    }
    if (elapsed >= duration) return rest_at(end);
    const double u = elapsed / duration;
    const double d = end - start, a = start_velocity * duration, b = end_velocity * duration;
    // Hermite: start + a u + (3 d - 2 a - b) u^2 + (a + b - 2 d) u^3
    const double second = 3 * d - 2 * a - b, third = a + b - 2 * d;
    position = start + u * (a + u * (second + u * third));
    velocity = (a + u * (2 * second + 3 * u * third)) / duration;
    acceleration = (2 * second + 6 * u * third) / (duration * duration);
}

}  // namespace models::control
