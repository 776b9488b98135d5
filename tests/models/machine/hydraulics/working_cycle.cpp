#include "tests/models/machine/hydraulics/working_cycle.hpp"

#include <algorithm>
#include <cmath>

namespace tests {

namespace {

using models::hydraulics::PerAxis;

constexpr double pi = std::numbers::pi;

struct Load {
    double inertia, force, viscous, coulomb, start;
};
// boom, adjust, arm, coupler, slew, rotate, jaw, travel
constexpr PerAxis<Load> loads{{{72769, 90e3, 2e4, 4000, 0.2},
                               {50000, 60e3, 2e4, 4000, 0.25},
                               {15000, -40e3, 1e4, 2000, 0.3},
                               {5000, -8e3, 1e4, 1000, 0.2},
                               {40000, 0, 1e4, 2000, 0.25},
                               {200, 0, 50, 30, 0},
                               {800, 0, 5e3, 500, 0.05},
                               {12000, 1e3, 2e3, 500, 0}}};

struct Move {
    std::size_t axis;
    double begin, end, level;
};
constexpr Move moves[] = {{0, 0.5, 2.5, 0.6},  {2, 0.8, 2.8, 0.7},  {3, 2.0, 3.5, -0.8}, {6, 3.0, 5.5, 1.0},
                          {1, 3.5, 5.0, 0.5},  {0, 4.0, 5.5, 0.9},  {4, 5.0, 6.5, 0.5},  {5, 5.0, 7.0, 0.6},
                          {7, 6.0, 8.0, 0.8},  {0, 6.5, 8.5, -0.5}, {2, 7.0, 9.0, -0.6}, {1, 7.5, 9.0, -0.4},
                          {6, 8.0, 9.5, -1.0}, {3, 8.5, 10.0, 0.6}, {4, 9.0, 10.5, -0.5}};

double command(std::size_t axis, double t) {
    constexpr double ramp = 0.3;
    double sum = 0;
    for (const Move& move : moves)
        if (move.axis == axis)
            sum += move.level *
                   (std::clamp((t - move.begin) / ramp, 0.0, 1.0) - std::clamp((t - move.end) / ramp, 0.0, 1.0));
    return sum;
}

}  // namespace

WorkingCycle::WorkingCycle(models::hydraulics::Solver solver) {
    const models::hydraulics::Machine machine = models::hydraulics::demolition_excavator();
    plant.parameters = machine.parameters;
    plant.names = machine.names;
    plant.solver = solver;
    for (std::size_t i = 0; i < plant.parameters.count; ++i) {
        plant.parameters.axes[i].initial_force = loads[i].force;
        position[i] = loads[i].start;
    }
    plant.initialize(0);
    plant.evaluate(0);
}

void WorkingCycle::move(double t, double h) {
    constexpr int parts = 10;
    constexpr double stop_stiffness = 5e7, stop_damping = 5e5;
    for (std::size_t i = 0; i < plant.parameters.count; ++i) {
        const Load& load = loads[i];
        const auto& axis = plant.parameters.axes[i];
        for (int part = 0; part < parts; ++part) {
            const double v = velocity[i];
            double force = plant.outputs.force[i] - load.force - load.viscous * v - load.coulomb * std::tanh(v / 1e-3);
            if (!axis.motor) {
                const double beyond = std::max(0.0, position[i] - axis.stroke) + std::min(0.0, position[i]);
                if (beyond != 0) force -= stop_stiffness * beyond + (beyond * v > 0 ? stop_damping * v : 0);
            }
            velocity[i] += h / parts * force / load.inertia;
            position[i] += h / parts * velocity[i];
        }
        plant.inputs[i] = {.command = command(i, t), .position = position[i], .velocity = velocity[i]};
    }
}

void WorkingCycle::step(double t, double h) {
    move(t, h);
    plant.step(t, h);
    plant.evaluate(t + h);
}

}  // namespace tests
