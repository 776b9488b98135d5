#pragma once

#include "master/core/physical_unit.hpp"

#include <string_view>

namespace master::build {

/// What a unit's name means to every engineer, for files that use it and do not define it; null for other names.
/// "m^2", "m²" and "m2" are one name, and so are "N.m" and "N*m", "°C" and "degC", "µm" and "um".
[[nodiscard]] const core::PhysicalUnit* well_known_unit(std::string_view name);

}  // namespace master::build
