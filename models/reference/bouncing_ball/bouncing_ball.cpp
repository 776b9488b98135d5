#include "models/reference/bouncing_ball/bouncing_ball.hpp"

#include <cmath>
#include <limits>

namespace models {

namespace {

// An integrator that looks for the impact stops this close to it, on either side.
constexpr double contact = 1e-9;

// Above the floor by the smallest number there is, so that the indicator is positive again.
constexpr double just_above = std::numeric_limits<double>::min();

}  // namespace

void BouncingBall::evaluate(double) {
    rates.h = state.v;
    rates.v = state.resting ? 0 : parameters.g;
    indicator = state.resting ? 1 : state.h;
}

Advance BouncingBall::step(double t, double h) {
    const double to_impact = time_to_impact();
    if (to_impact > h) {
        fly(h);
        return {.reached = t + h};
    }
    fly(to_impact);
    state.h = 0;
    return {.reached = t + to_impact, .event = true};
}

bool BouncingBall::update(double) {
    if (state.resting || state.v >= 0 || state.h > contact) return false;
    state.h = just_above;
    state.v = -parameters.e * state.v;
    if (state.v < v_min) {
        state.v = 0;
        state.resting = true;
    }
    return true;
}

void BouncingBall::fly(double duration) {
    if (state.resting) return;
    state.h += duration * (state.v + duration / 2 * parameters.g);
    state.v += duration * parameters.g;
}

/// The first root of h + v t + g/2 t^2 from now on, if there is one.
double BouncingBall::time_to_impact() const {
    const double never = std::numeric_limits<double>::infinity();
    if (state.resting) return never;
    if (parameters.g == 0) return state.v < 0 ? -state.h / state.v : never;
    const double discriminant = state.v * state.v - 2 * parameters.g * state.h;
    if (discriminant < 0) return never;
    const double root = (-state.v - std::sqrt(discriminant)) / parameters.g;
    return root < 0 ? never : root;
}

}  // namespace models
