#pragma once

#include "master/core/node.hpp"
#include "master/core/plan.hpp"

#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

namespace master::core {

/// Which inputs of a system's units reach outputs without a step in between.
class FeedthroughMap {
public:
    FeedthroughMap(std::span<const Node> nodes, const Plan& plan);

    /// Does the input at the end of this wire reach any output of its unit, a connected one, a connected continuous
    /// one?
    [[nodiscard]] bool reaches_output(const PlannedWire& wire) const { return reaches(wire, outputs_); }
    [[nodiscard]] bool reaches_wire(const PlannedWire& wire) const { return reaches(wire, wires_); }
    [[nodiscard]] bool reaches_continuous(const PlannedWire& wire) const { return reaches(wire, continuous_); }

private:
    using Inputs = std::vector<std::unordered_set<std::uint32_t>>;  // variables per unit

    [[nodiscard]] static bool reaches(const PlannedWire& wire, const Inputs& inputs) {
        return inputs[wire.to.unit].contains(wire.to.variable);
    }

    Inputs outputs_, wires_, continuous_;
};

}  // namespace master::core
