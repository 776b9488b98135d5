#include "models/machine/hydraulics/rosenbrock.hpp"

#include "models/machine/hydraulics/bordered_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace models::hydraulics {

namespace {

constexpr double gamma = 0.5;
constexpr double longest_substep = 0.05;
constexpr double shortest_substep = 1e-10;

struct Attempt {
    Fluid fluid;
    Spools spools;
    double error = 0;  // in tolerances
};

template <class Function>
void for_each_component(std::size_t count, const Function& function) {
    for (std::size_t i = 0; i < count; ++i) function([i](auto& fluid) -> auto& { return fluid.a[i]; });
    for (std::size_t i = 0; i < count; ++i) function([i](auto& fluid) -> auto& { return fluid.b[i]; });
    function([](auto& fluid) -> auto& { return fluid.supply; });
    function([](auto& fluid) -> auto& { return fluid.flow_rate; });
}

/// The partial derivative of the rates by time: moving spools, growing chambers, changing velocities.
Fluid rates_by_time(const Parameters& parameters, const Slopes& slopes) {
    Fluid result;
    const double load = slopes.load_by_time;
    double draw = 0;
    for (std::size_t i = 0; i < parameters.count; ++i) {
        const AxisSlopes& axis = slopes.axes[i];
        result.a[i] = axis.at + axis.al * load;
        result.b[i] = axis.bt + axis.bl * load;
        draw += axis.draw_t + axis.draw_l * load;
    }
    result.supply = -slopes.stiffness * draw;
    result.flow_rate = slopes.flow_by_load * load;
    return result;
}

double error_of(const Parameters& parameters, const Fluid& error, const Fluid& before, const Fluid& after) {
    double largest = 0;
    const auto take = [&](double difference, double first, double second, double absolute) {
        const double size = std::max(std::abs(first), std::abs(second));
        const double share = std::abs(difference) / (absolute + relative_tolerance * size);
        if (!(share <= largest)) largest = share;  // also when it is not a number
    };
    for (std::size_t i = 0; i < parameters.count; ++i) {
        take(error.a[i], before.a[i], after.a[i], pressure_tolerance);
        take(error.b[i], before.b[i], after.b[i], pressure_tolerance);
    }
    take(error.supply, before.supply, after.supply, pressure_tolerance);
    take(error.flow_rate, before.flow_rate, after.flow_rate, flow_tolerance(parameters));
    return largest;
}

/// One substep from `since`; stages as in the paper, in its transformed variables.
Attempt attempt(const Parameters& parameters, const Inputs& inputs, const State& state, const Balance& start,
                const Slopes& slope, double since, double h) {
    const std::size_t count = parameters.count;
    const Fluid& y = state.fluid;
    const BorderedMatrix matrix(parameters, slope, 1 / (gamma * h));
    const Fluid by_time = rates_by_time(parameters, slope);
    Attempt result;
    result.spools = spools_after(parameters, inputs, state.spools, h);
    const auto end_rates = [&](const Fluid& fluid) {
        return balance({parameters, inputs, since + h, fluid, result.spools}).rates;
    };

    Fluid right, stage;
    for_each_component(count, [&](auto at) { at(right) = at(start.rates) + 0.5 * h * at(by_time); });
    const Fluid k1 = matrix.solve(right);
    for_each_component(count, [&](auto at) { at(right) = at(start.rates) + 4 / h * at(k1) + 1.5 * h * at(by_time); });
    const Fluid k2 = matrix.solve(right);
    for_each_component(count, [&](auto at) { at(stage) = at(y) + 2 * at(k1); });
    right = end_rates(stage);
    for_each_component(count, [&](auto at) { at(right) += (at(k1) - at(k2)) / h; });
    const Fluid k3 = matrix.solve(right);
    for_each_component(count, [&](auto at) { at(stage) += at(k3); });
    right = end_rates(stage);
    for_each_component(count, [&](auto at) { at(right) += (at(k1) - at(k2) - 8.0 / 3 * at(k3)) / h; });
    const Fluid k4 = matrix.solve(right);
    for_each_component(count, [&](auto at) { at(result.fluid) = at(stage) + at(k4); });
    result.error = error_of(parameters, k4, y, result.fluid);
    return result;
}

/// Simpson's rule; the middle of the substep is taken from the cubic through its ends.
void add_energies(const Parameters& parameters, const Inputs& inputs, State& before, const Balance& start,
                  const Attempt& after, const Balance& end, double since, double h) {
    Fluid fluid;
    for_each_component(parameters.count, [&](auto at) {
        at(fluid) = (at(before.fluid) + at(after.fluid)) / 2 + h / 8 * (at(start.rates) - at(end.rates));
    });
    Spools spools;
    for (std::size_t i = 0; i < parameters.count; ++i)
        spools.position[i] = (before.spools.position[i] + after.spools.position[i]) / 2 +
                             h / 8 * (before.spools.velocity[i] - after.spools.velocity[i]);
    const Energy middle = balance({parameters, inputs, since + h / 2, fluid, spools}).powers;
    for (double Energy::*part : {&Energy::pump, &Energy::throttle_in, &Energy::throttle_out, &Energy::leak,
                                 &Energy::relief, &Energy::compression, &Energy::work})
        before.energy.*part += h / 6 * (start.powers.*part + 4 * middle.*part + end.powers.*part);
}

[[noreturn]] void give_up(const Parameters& parameters, const Inputs& inputs) {
    std::size_t fastest = 0;
    for (std::size_t i = 1; i < parameters.count; ++i)
        if (std::abs(inputs[i].velocity) > std::abs(inputs[fastest].velocity)) fastest = i;
    throw std::runtime_error("the pressures change too fast to follow; axis " + std::to_string(fastest + 1) +
                             " moves with " + std::to_string(inputs[fastest].velocity) + " per second");
}

}  // namespace

Effort advance(const Parameters& parameters, const Inputs& inputs, State& state, double h) {
    constexpr double safety = 0.9, slowest = 0.2, fastest = 5, order = 3;
    Effort effort;
    double since = 0;
    Balance start = balance({parameters, inputs, since, state.fluid, state.spools});
    while (since < h) {
        const Slopes slope = slopes({parameters, inputs, since, state.fluid, state.spools});
        const double left = h - since;
        double length = left / std::ceil(left / state.substep - 1e-9);
        Attempt next = attempt(parameters, inputs, state, start, slope, since, length);
        while (!(next.error <= 1)) {
            ++effort.rejected;
            const double shrink = std::isfinite(next.error) ? safety / std::cbrt(next.error) : slowest;
            state.substep = length * std::max(slowest, std::min(shrink, safety));
            if (state.substep < shortest_substep) give_up(parameters, inputs);
            length = left / std::ceil(left / state.substep - 1e-9);
            next = attempt(parameters, inputs, state, start, slope, since, length);
        }
        ++effort.accepted;
        const bool last = length > 0.75 * left;
        const Balance end = balance({parameters, inputs, since + length, next.fluid, next.spools});
        add_energies(parameters, inputs, state, start, next, end, since, length);
        state.fluid = next.fluid;
        state.spools = next.spools;
        const double growth = safety * std::pow(std::max(next.error, 1e-6), -1 / order);
        state.substep = std::min(length * std::clamp(growth, slowest, fastest), longest_substep);
        since = last ? h : since + length;
        start = end;
    }
    return effort;
}

}  // namespace models::hydraulics
