#pragma once

#include "master/core/unit.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace master::core {

/// Which bound inputs each bound output of a unit depends on, by slot. Missing lists mean "all", empty ones "none".
struct Feedthrough {
    std::vector<std::vector<std::uint32_t>> outputs;  // per output slot: input slots
    [[nodiscard]] bool uses(std::uint32_t input_slot) const;
};

/// While stepping: the outputs' dependencies.
[[nodiscard]] Feedthrough feedthrough(const UnitInfo& info, const Layout& inputs, const Layout& outputs);
/// During initialisation: the initial unknowns' dependencies.
[[nodiscard]] Feedthrough initial_feedthrough(const UnitInfo& info, const Layout& inputs, const Layout& outputs);

/// Strongly connected components of a graph given by successor lists, in topological order (sources first).
[[nodiscard]] std::vector<std::vector<std::uint32_t>> components(
    const std::vector<std::vector<std::uint32_t>>& successors);

}  // namespace master::core
