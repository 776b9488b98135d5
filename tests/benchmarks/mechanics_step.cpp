// Steps the mechanics of a machine by 1 ms in a working motion: every axis is carried by its holding force and driven
// back and forth against its friction.   usage: benchmark_mechanics MACHINE.urdf STEPS
#include "fmus/common/machine/machine.hpp"
#include "models/machine/mechanics/mechanics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int count, char** arguments) {
    if (count != 3) return 2;
    models::Mechanics model(fmus::read_machine(arguments[1]));
    const int steps = std::atoi(arguments[2]);
    model.initialize(0);
    model.evaluate(0);
    const std::vector<double> start(model.outputs.position.begin(), model.outputs.position.end());
    constexpr double h = 1e-3, speed = 0.05;
    for (int i = 0; i < steps; ++i) {
        const double t = i * h;
        for (std::size_t axis = 0; axis < model.axis_count(); ++axis) {
            const auto& friction = model.parameters.axes[axis].friction;
            const double wanted = speed * std::sin(2 * t + static_cast<double>(axis));
            const double push = std::clamp((wanted - model.outputs.velocity[axis]) / 0.05, -1.0, 1.0);
            model.inputs.force[axis] = model.outputs.load[axis] + friction.viscous * wanted +
                                       friction.coulomb * std::tanh(wanted / 0.01) + friction.breakaway * push;
        }
        model.step(t, h);
        model.evaluate(t + h);
    }
    for (std::size_t axis = 0; axis < model.axis_count(); ++axis)
        std::printf("%+.4f ", model.outputs.position[axis] - start[axis]);
    std::printf("moved\n");
}
