#include "master/core/setup/feedthrough_map.hpp"

#include "master/core/setup/dependencies.hpp"

namespace master::core {

FeedthroughMap::FeedthroughMap(std::span<const Node> nodes, const Plan& plan)
    : outputs_(nodes.size()), wires_(nodes.size()), continuous_(nodes.size()) {
    Inputs connected(nodes.size());  // outputs that a wire begins at
    for (const PlannedWire& wire : plan.wires) connected[wire.from.unit].insert(wire.from.variable);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const Node& node = nodes[i];
        const Feedthrough feed = feedthrough(node.unit->info(), node.inputs, node.outputs);
        for (std::size_t output = 0; output < feed.outputs.size(); ++output) {
            const std::uint32_t variable = node.outputs.slots[output].variable;
            const Variable& y = node.unit->info().variables[variable];
            const bool is_connected = connected[i].contains(variable);
            for (const std::uint32_t input : feed.outputs[output]) {
                const std::uint32_t u = node.inputs.slots[input].variable;
                outputs_[i].insert(u);
                if (!is_connected) continue;
                wires_[i].insert(u);
                if (y.type == Type::real && y.variability == Variability::continuous) continuous_[i].insert(u);
            }
        }
    }
}

}  // namespace master::core
