#pragma once

namespace models::mechanics {

/// A force against the motion of an axis, and how it grows with velocity and position. The slopes steer an implicit
/// step only, so they are never negative: what falls with velocity is left to the explicit part.
struct Resistance {
    double force = 0;
    double damping = 0;    // N s/m
    double stiffness = 0;  // N/m

    Resistance& operator+=(const Resistance& other) {
        force += other.force;
        damping += other.damping;
        stiffness += other.stiffness;
        return *this;
    }
    /// The same against a joint on which it works with a moment arm.
    [[nodiscard]] Resistance at(double arm) const {
        return {.force = arm * force, .damping = arm * arm * damping, .stiffness = arm * arm * stiffness};
    }
};

/// Stribeck friction with a smoothed step at standstill:
/// (coulomb + (breakaway - coulomb) exp(-(v / stribeck_velocity)^2)) tanh(v / smoothing_velocity) + viscous v.
struct Friction {
    double coulomb = 4000;    // N
    double breakaway = 6000;  // N
    double viscous = 2e4;     // N s/m
    double stribeck_velocity = 0.01;
    double smoothing_velocity = 1e-3;

    [[nodiscard]] Resistance against(double velocity) const;
};

/// Springs at both ends of an axis; the damper acts only while they are being compressed, so that a stop never pulls.
struct EndStops {
    double lower = 0, upper = 0;
    double stiffness = 5e7;  // N/m
    double damping = 5e5;    // N s/m

    [[nodiscard]] Resistance against(double position, double velocity) const;
};

}  // namespace models::mechanics
