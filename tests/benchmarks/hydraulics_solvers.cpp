// The two solvers of the hydraulic plant on a working cycle of eight axes in steps of 1 ms.
// usage: hydraulics_solvers [rosenbrock|cvode|none STEPS]   (one solver alone, to count its instructions)
// Without arguments both run and report their cost and their error against CVODE at a thousandth of the tolerance.
#include "models/machine/hydraulics/rosenbrock.hpp"
#include "tests/models/machine/hydraulics/working_cycle.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <string>

namespace {

using models::hydraulics::Solver;
using models::hydraulics::State;

constexpr double h = 1e-3;
constexpr int all_steps = static_cast<int>(tests::WorkingCycle::duration / h);

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void run_alone(const std::string& solver, int steps) {
    tests::WorkingCycle cycle(solver == "cvode" ? Solver::cvode : Solver::rosenbrock);
    for (int i = 0; i < steps; ++i) {
        if (solver == "none") {
            cycle.move(i * h, h);
            continue;
        }
        cycle.step(i * h, h);
    }
    std::printf("%.0f\n", cycle.plant.state.energy.pump);
}

double largest_difference(const State& one, const State& other, std::size_t count) {
    double largest = std::abs(one.fluid.supply - other.fluid.supply);
    for (std::size_t i = 0; i < count; ++i)
        largest = std::max(
            {largest, std::abs(one.fluid.a[i] - other.fluid.a[i]), std::abs(one.fluid.b[i] - other.fluid.b[i])});
    return largest;
}

/// All see the same inputs: the motion of the run with the default solver.
void compare() {
    tests::WorkingCycle cycle(Solver::rosenbrock);
    auto& plant = cycle.plant;
    models::hydraulics::CvodeSolver cvode, reference;
    State by_cvode = plant.state, exact = plant.state;
    double cvode_error = 0, own_error = 0, cvode_seconds = 0, own_seconds = 0;
    models::hydraulics::Effort effort;
    int one_substep = 0;
    for (int i = 0; i < all_steps; ++i) {
        cycle.move(i * h, h);
        double begin = cpu_seconds();
        const models::hydraulics::Effort now = advance(plant.parameters, plant.inputs, plant.state, h);
        own_seconds += cpu_seconds() - begin;
        effort.accepted += now.accepted;
        effort.rejected += now.rejected;
        one_substep += now.accepted == 1 && now.rejected == 0 ? 1 : 0;
        begin = cpu_seconds();
        cvode.advance(plant.parameters, plant.inputs, by_cvode, h);
        cvode_seconds += cpu_seconds() - begin;
        reference.advance(plant.parameters, plant.inputs, exact, h, 1e-3);
        plant.evaluate((i + 1) * h);
        own_error = std::max(own_error, largest_difference(plant.state, exact, plant.parameters.count));
        cvode_error = std::max(cvode_error, largest_difference(by_cvode, exact, plant.parameters.count));
    }
    std::printf("%d steps of 1 ms, eight axes; pump energy %.0f J\n", all_steps, plant.state.energy.pump);
    std::printf("%-11s %14s %22s\n", "solver", "CPU us/step", "largest error [Pa]");
    std::printf("%-11s %14.1f %22.0f\n", "rosenbrock", 1e6 * own_seconds / all_steps, own_error);
    std::printf("%-11s %14.1f %22.0f\n", "cvode", 1e6 * cvode_seconds / all_steps, cvode_error);
    std::printf("rosenbrock: %.2f substeps per step, %.3f rejected; %.0f %% of the steps in one\n",
                static_cast<double>(effort.accepted) / all_steps, static_cast<double>(effort.rejected) / all_steps,
                100.0 * one_substep / all_steps);
}

}  // namespace

int main(int count, char** arguments) {
    if (count == 3) {
        run_alone(arguments[1], std::stoi(arguments[2]));
        return 0;
    }
    compare();
    return 0;
}
