#pragma once

#include "models/machine/hydraulics/equations.hpp"

namespace models::hydraulics {

/// Everything the plant remembers; saving it is copying it.
struct State {
    Fluid fluid;
    Spools spools;
    Energy energy;
    double substep = 1e-3;  // what the one-step method tries next
};

/// Both solvers hold these, per step and component: relative_tolerance |y| + the absolute one.
inline constexpr double relative_tolerance = 1e-6;
inline constexpr double pressure_tolerance = 100;
/// In flow: what the pump makes of the pressure tolerance.
[[nodiscard]] inline double flow_tolerance(const Parameters& parameters) {
    return pressure_tolerance * parameters.supply.gain;
}

}  // namespace models::hydraulics
