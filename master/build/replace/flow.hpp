#pragma once

#include "master/core/unit.hpp"

namespace master::build {

/// Values flow into it: an input or a parameter, but no clock that ticks by an interval of its own, since that gives
/// its ticks to others.
[[nodiscard]] inline bool flows_in(const core::Variable& variable) {
    if (core::is_parameter(variable)) return true;
    return variable.causality == core::Causality::input && !core::is_time_based(variable);
}

}  // namespace master::build
