#pragma once

#include "models/machine/hydraulics/state.hpp"

#include <cstdint>

namespace models::hydraulics {

struct Effort {
    std::uint64_t accepted = 0, rejected = 0;
};

/// Advances the plant by `h` with RODAS3 (Sandu et al., Atmospheric Environment 31, 1997): a Rosenbrock method with
/// four stages, order 3 with an embedded order 2, L-stable and stiffly accurate, so that pressures in small chambers
/// and behind closing valves do not limit the step. The Jacobian is analytic; its linear systems are solved block by
/// block. Throws std::runtime_error when the inputs move the pressures faster than any step can follow.
Effort advance(const Parameters& parameters, const Inputs& inputs, State& state, double h);

}  // namespace models::hydraulics
