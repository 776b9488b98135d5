#pragma once

#include "master/core/physical_unit.hpp"

#include <optional>
#include <span>
#include <string>

namespace master::analysis {

/// Ratios between the units of measure that engineers use for one quantity, with 1 among them; all positive.
[[nodiscard]] std::span<const double> known_factors();

/// The known factor that a measured ratio is within 2 % of, with its sign.
[[nodiscard]] std::optional<double> known_factor(double ratio);

/// The common unit in which a quantity is `ratio` times smaller as a number than in `unit`: 1e-3 of m is mm. Empty
/// where there is none.
[[nodiscard]] std::string unit_by_factor(const core::PhysicalUnit& unit, double ratio);

}  // namespace master::analysis
