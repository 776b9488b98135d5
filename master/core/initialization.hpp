#pragma once

#include "master/base/diagnostics.hpp"

namespace master::core {

class System;

/// Sets start values, enters Initialization Mode everywhere, propagates values along the initial dependencies, solves
/// what remains as algebraic loops (Newton with line search), and leaves Initialization Mode.
void initialize_units(System& system, base::Diagnostics& diagnostics);

}  // namespace master::core
