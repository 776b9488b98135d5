#pragma once

#include "master/base/diagnostics.hpp"

namespace master::core {

class System;

/// Brings all units to their start: sets start values, enters Initialization Mode everywhere, propagates values along
/// the initial dependencies, solves what remains as algebraic loops (Newton with line search), leaves Initialization
/// Mode, and handles the events of the start time.
void initialize(System& system, base::Diagnostics& diagnostics);

}  // namespace master::core
