#pragma once

#include "models/machine/hydraulics/plant.hpp"
#include "tests/models/machine/hydraulics/ode.hpp"

#include <functional>
#include <numbers>

namespace tests {

constexpr double plant_step = 1e-3;  // as in the shipped systems
constexpr double degree = std::numbers::pi / 180;

/// The boom of a 10 t excavator on its cylinder, arm and bucket locked at -80 and 100 degrees.
struct BoomMechanics {
    double inertia = 20431.678834336275;
    double mass_times_radius = 4961.5828766231325, gravity_angle = -0.1398547507370641;
    double coulomb = 4000, stiction = 6000, stribeck_velocity = 0.01, smoothing_velocity = 1e-3, viscous = 2e4;

    struct Cylinder {
        double position = 0, arm = 0;  // moment arm: velocity = arm * angular velocity
    };
    [[nodiscard]] Cylinder cylinder(double theta) const;
    [[nodiscard]] double gravity(double theta) const;  // as a moment
    [[nodiscard]] double friction(double velocity) const;
    [[nodiscard]] double acceleration(double theta, double omega, double force) const;
    [[nodiscard]] double holding_force(double theta) const { return gravity(theta) / cylinder(theta).arm; }
};

/// The parameters of the boom axis, with everything off that goes beyond one cylinder on a pump.
[[nodiscard]] models::hydraulics::Plant boom_plant(double initial_force);

/// Boom and hydraulics as one differential equation: theta, omega, then the plant, then the friction energy.
struct BoomState {
    double theta = 0, omega = 0;
    models::hydraulics::State plant;
    double friction_energy = 0;
};

class BoomSystem {
public:
    BoomSystem(double theta, double friction_scale = 1);
    /// `command` must be smooth from `from` to `to`.
    void advance(const std::function<double(double)>& command, double from, double to, double tolerance = 1e-9);

    BoomMechanics mechanics;
    models::hydraulics::Plant plant;
    BoomState state;
};

/// Zero to 0.5 s, a ramp of 0.3 s to `level`, back to zero in 0.3 s from 3 s on.
[[nodiscard]] double trapezoid(double t, double level);

}  // namespace tests
