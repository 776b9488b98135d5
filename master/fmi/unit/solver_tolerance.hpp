#pragma once

#include "master/core/unit.hpp"

#include <optional>

namespace master::fmi {

/// The relative tolerance that a model-exchange unit is integrated with: what the run asks for, else what the FMU
/// suggests, else a common value.
[[nodiscard]] inline double solver_tolerance(std::optional<double> asked, const core::UnitInfo& info) {
    constexpr double common = 1e-6;
    const double tolerance = asked.value_or(info.experiment.tolerance.value_or(common));
    return tolerance > 0 ? tolerance : common;
}

}  // namespace master::fmi
