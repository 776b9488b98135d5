#include "tests/models/machine/hydraulics/boom_axis.hpp"

#include <algorithm>
#include <cmath>

namespace tests {

namespace {

constexpr double gravitation = 9.81;
// Pins of the boom cylinder relative to the boom's joint: D on the frame, E on the boom.
constexpr double d_x = 0.474, d_z = -0.237, e_x = 1.532, e_z = 0.686;
constexpr double closed_length = 1.396;

models::hydraulics::State plant_from(const Numbers& y) {
    models::hydraulics::State state;
    state.fluid.a[0] = y[2];
    state.fluid.b[0] = y[3];
    state.fluid.supply = y[4];
    state.fluid.flow_rate = y[5];
    state.spools.position[0] = y[6];
    state.spools.velocity[0] = y[7];
    state.energy = {y[8], y[9], y[10], y[11], y[12], y[13], y[14]};
    return state;
}

}  // namespace

BoomMechanics::Cylinder BoomMechanics::cylinder(double theta) const {
    const double cd = std::hypot(d_x, d_z), ce = std::hypot(e_x, e_z);
    const double angle = theta + std::atan2(e_z, e_x) - std::atan2(d_z, d_x);
    const double length = std::sqrt(cd * cd + ce * ce - 2 * cd * ce * std::cos(angle));
    return {.position = length - closed_length, .arm = cd * ce * std::sin(angle) / length};
}

double BoomMechanics::gravity(double theta) const {
    return gravitation * mass_times_radius * std::cos(theta + gravity_angle);
}

double BoomMechanics::friction(double velocity) const {
    const double ratio = velocity / stribeck_velocity;
    return (coulomb + (stiction - coulomb) * std::exp(-ratio * ratio)) * std::tanh(velocity / smoothing_velocity) +
           viscous * velocity;
}

double BoomMechanics::acceleration(double theta, double omega, double force) const {
    const Cylinder now = cylinder(theta);
    return ((force - friction(now.arm * omega)) * now.arm - gravity(theta)) / inertia;
}

models::hydraulics::Plant boom_plant(double initial_force) {
    models::hydraulics::Plant plant;
    plant.parameters.count = 1;
    plant.parameters.axes[0].initial_force = initial_force;
    plant.names[0] = "boom";
    return plant;
}

BoomSystem::BoomSystem(double theta, double friction_scale) : plant(boom_plant(mechanics.holding_force(theta))) {
    for (double* part : {&mechanics.coulomb, &mechanics.stiction, &mechanics.viscous}) *part *= friction_scale;
    plant.initialize(0);
    state.theta = theta;
    state.plant = plant.state;
}

void BoomSystem::advance(const std::function<double(double)>& command, double from, double to, double tolerance) {
    const models::hydraulics::Fluid& fluid = state.plant.fluid;
    const models::hydraulics::Energy& energy = state.plant.energy;
    Numbers y{state.theta,
              state.omega,
              fluid.a[0],
              fluid.b[0],
              fluid.supply,
              fluid.flow_rate,
              state.plant.spools.position[0],
              state.plant.spools.velocity[0],
              energy.pump,
              energy.throttle_in,
              energy.throttle_out,
              energy.leak,
              energy.relief,
              energy.compression,
              energy.work,
              state.friction_energy};
    const Numbers absolute = [&] {
        Numbers sizes{0.1, 0.1, 1e6, 1e6, 1e6, 1e-3, 1, 10};
        sizes.resize(y.size(), 1e3);
        for (double& size : sizes) size *= tolerance;
        return sizes;
    }();
    const auto rates = [&](double t, const Numbers& now, Numbers& rate) {
        const BoomMechanics::Cylinder cylinder = mechanics.cylinder(now[0]);
        const double velocity = cylinder.arm * now[1];
        plant.state = plant_from(now);
        plant.inputs[0] = {.command = command(t), .position = cylinder.position, .velocity = velocity};
        plant.evaluate(t);
        const models::hydraulics::State& own = plant.rates;
        rate = {now[1],
                mechanics.acceleration(now[0], now[1], plant.outputs.force[0]),
                own.fluid.a[0],
                own.fluid.b[0],
                own.fluid.supply,
                own.fluid.flow_rate,
                own.spools.position[0],
                own.spools.velocity[0],
                own.energy.pump,
                own.energy.throttle_in,
                own.energy.throttle_out,
                own.energy.leak,
                own.energy.relief,
                own.energy.compression,
                own.energy.work,
                mechanics.friction(velocity) * velocity};
    };
    integrate(rates, y, from, to, tolerance, absolute);
    state = {y[0], y[1], plant_from(y), y[15]};
}

double trapezoid(double t, double level) {
    const double up = std::clamp((t - 0.5) / 0.3, 0.0, 1.0);
    const double down = std::clamp((t - 3.0) / 0.3, 0.0, 1.0);
    return level * (up - down);
}

}  // namespace tests
