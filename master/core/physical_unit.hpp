#pragma once

#include <array>
#include <optional>
#include <string>

namespace master::core {

/// A unit of measure as FMI and SSP define it: value in SI = factor * value + offset.
struct PhysicalUnit {
    std::string name;
    /// Exponents of kg, m, s, A, K, mol, cd, rad; nothing when only the name is known (no BaseUnit).
    std::optional<std::array<int, 8>> exponents;
    double factor = 1;
    double offset = 0;
};

}  // namespace master::core
