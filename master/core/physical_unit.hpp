#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace master::core {

/// How values of a unit are shown to people: shown = factor * value + offset (FMI 2.0, 2.2.2).
struct DisplayUnit {
    std::string name;
    double factor = 1;
    double offset = 0;
};

/// A unit of measure as FMI and SSP define it: value in SI = factor * value + offset.
struct PhysicalUnit {
    std::string name;
    /// Exponents of kg, m, s, A, K, mol, cd, rad; nothing when only the name is known (no BaseUnit).
    std::optional<std::array<int, 8>> exponents;
    double factor = 1;
    double offset = 0;
    std::vector<DisplayUnit> displays = {};
};

}  // namespace master::core
