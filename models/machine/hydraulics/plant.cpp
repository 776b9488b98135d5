#include "models/machine/hydraulics/plant.hpp"

#include "models/machine/hydraulics/rosenbrock.hpp"

namespace models::hydraulics {

void Plant::initialize(double) {
    check(parameters, names);
    state = {};
    for (std::size_t i = 0; i < parameters.count; ++i) {
        const AxisParameters& axis = parameters.axes[i];
        const AxisPressures pressures = holding_pressures(axis, axis.initial_force);
        state.fluid.a[i] = pressures.a;
        state.fluid.b[i] = pressures.b;
    }
    // The pump at rest: its margin, and the flow that leaks.
    state.fluid.supply = parameters.supply.margin;
    state.fluid.flow_rate = parameters.supply.leak * state.fluid.supply;
}

void Plant::evaluate(double) {
    for (std::size_t i = 0; i < parameters.count; ++i) {
        const AxisParameters& axis = parameters.axes[i];
        outputs.force[i] = state.fluid.a[i] * axis.area_a - state.fluid.b[i] * axis.area_b;
    }
    outputs.flow_rate = delivered_flow(parameters.supply, state.fluid);
    outputs.power = state.fluid.supply * outputs.flow_rate;
    const Balance now = balance({parameters, inputs, 0, state.fluid, state.spools});
    rates.fluid = now.rates;
    rates.energy = now.powers;
    rates.spools.position = state.spools.velocity;
    rates.spools.velocity = spool_rates(parameters, inputs, state.spools);
}

void Plant::step(double, double h) {
    if (solver == Solver::cvode) {
        cvode_.advance(parameters, inputs, state, h);
        return;
    }
    advance(parameters, inputs, state, h);
}

}  // namespace models::hydraulics
