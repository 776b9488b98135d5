#include "tests/models/work/planning/drives.hpp"

#include "models/machine/hydraulics/machines.hpp"
#include "models/machine/kinematics/linkage.hpp"

#include <algorithm>
#include <stdexcept>

namespace tests {

using models::hydraulics::demolition_excavator;
using models::kinematics::Machine;

namespace {

std::vector<std::size_t> axes_of_plant(const Machine& machine) {
    const auto plant = demolition_excavator();
    std::vector<std::size_t> found;
    for (const auto& axis : machine.axes) {
        const auto* const name = std::find(plant.names.begin(), plant.names.end(), axis.name);
        if (name == plant.names.end()) throw std::runtime_error("the plant does not drive axis " + axis.name);
        found.push_back(static_cast<std::size_t>(name - plant.names.begin()));
    }
    return found;
}

}  // namespace

IdealDrive::IdealDrive(const Machine& machine, const AxisValues& start, double gain)
    : plant_axis_(axes_of_plant(machine)) {
    const auto plant = demolition_excavator();
    const auto linkages = models::kinematics::linkages(machine);
    axes_.parameters.count = plant.parameters.count;
    axes_.names = plant.names;
    for (std::size_t i = 0; i < plant_axis_.size(); ++i) {
        auto& axis = axes_.parameters.axes[plant_axis_[i]];
        axis.limited = !plant.parameters.axes[plant_axis_[i]].motor;
        axis.lower = axis.limited ? linkages[i].stroke().lower : 0;
        axis.stroke = linkages[i].stroke().upper;
        const auto& speeds = plant.speeds[plant_axis_[i]];
        axis.speeds = {gain * speeds.extend, gain * speeds.retract};
        axis.initial_position = start[i];
    }
    axes_.initialize(0);
    report();
}

void IdealDrive::step(double t, double h, const AxisValues& commands, const std::array<double, 6>&) {
    for (std::size_t i = 0; i < plant_axis_.size(); ++i) axes_.command[plant_axis_[i]] = commands[i];
    axes_.step(t, h);
    report();
}

void IdealDrive::block(std::size_t axis) { axes_.parameters.axes[plant_axis_[axis]].speeds = {1e-4, 1e-4}; }

void IdealDrive::report() {
    for (std::size_t i = 0; i < plant_axis_.size(); ++i) {
        position_[i] = axes_.state.position[plant_axis_[i]];
        velocity_[i] = axes_.state.velocity[plant_axis_[i]];
        if (axes_.names[plant_axis_[i]] == "jaw")
            jaw_ = {axes_.state.pressure_a[plant_axis_[i]], axes_.state.pressure_b[plant_axis_[i]]};
    }
}

HydraulicDrive::HydraulicDrive(const Machine& machine, const AxisValues& start)
    : plant_axis_(axes_of_plant(machine)), mechanics_(machine) {
    for (std::size_t i = 0; i < plant_axis_.size(); ++i) mechanics_.parameters.axes[i].initial_position = start[i];
    mechanics_.initialize(0);
    mechanics_.evaluate(0);
    const auto excavator = demolition_excavator();
    plant_.parameters = excavator.parameters;
    plant_.names = excavator.names;
    for (std::size_t i = 0; i < plant_axis_.size(); ++i) {
        plant_.parameters.axes[plant_axis_[i]].initial_force = mechanics_.outputs.load[i];
        plant_.inputs[plant_axis_[i]].position = start[i];
    }
    plant_.initialize(0);
    plant_.evaluate(0);
    report();
}

void HydraulicDrive::step(double t, double h, const AxisValues& commands, const std::array<double, 6>& tool) {
    for (std::size_t i = 0; i < plant_axis_.size(); ++i)
        mechanics_.inputs.force[i] = plant_.outputs.force[plant_axis_[i]];
    mechanics_.inputs.tool = tool;
    mechanics_.step(t, h);
    mechanics_.evaluate(t + h);
    for (std::size_t i = 0; i < plant_axis_.size(); ++i) {
        auto& inputs = plant_.inputs[plant_axis_[i]];
        inputs.command = commands[i];
        inputs.position = mechanics_.outputs.position[i];
        inputs.velocity = mechanics_.outputs.velocity[i];
    }
    plant_.step(t, h);
    plant_.evaluate(t + h);
    report();
}

void HydraulicDrive::report() {
    for (std::size_t i = 0; i < plant_axis_.size(); ++i) {
        position_[i] = mechanics_.outputs.position[i];
        velocity_[i] = mechanics_.outputs.velocity[i];
        const auto& fluid = plant_.state.fluid;
        if (plant_.names[plant_axis_[i]] == "jaw") jaw_ = {fluid.a[plant_axis_[i]], fluid.b[plant_axis_[i]]};
    }
}

}  // namespace tests
