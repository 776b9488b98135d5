#pragma once

#include "master/analysis/linear/linear_unit.hpp"
#include "master/build/simulation.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace master::analysis {

/// One real of a unit, and what a number of the outside is there.
struct Terminal {
    std::uint32_t unit = 0, variable = 0, element = 0;
    double gain = 1;
};

/// What is asked of a linear system.
struct Question {
    std::vector<Terminal> inputs;  // all move together; none: the modes alone
    std::optional<Terminal> output;
    std::optional<std::size_t> broken;  // a wire of the plan instead: from its receiver round to its sender
};

/// The sampled system: the models of all units in the places of the units, moved by the same algorithm over the same
/// wires with their holds, once for every state. States are those of the units, the outputs as they are seen, and what
/// wires remember; a sample is a hyperperiod.
[[nodiscard]] StateSpace sampled_system(const build::Simulation& simulation, const std::vector<UnitModel>& models,
                                        const Question& question);

/// The continuous system: wires without delay. Throws `Error` where they form a loop without a unique solution. All
/// units have continuous models.
[[nodiscard]] StateSpace continuous_system(const build::Simulation& simulation, const std::vector<UnitModel>& models,
                                           const Question& question);

}  // namespace master::analysis
