#include "master/build/requests/locate.hpp"

namespace master::build {

std::optional<core::SignalRef> input_signal(const core::Node& node, std::uint32_t variable) {
    const core::Layout::Slot* slot = node.inputs.find(variable);
    if (slot == nullptr) return std::nullopt;
    return core::SignalRef{
        .type = slot->type, .input = true, .index = node.input_base[core::index_of(slot->type)] + slot->offset};
}

std::optional<core::SignalRef> output_signal(const core::Node& node, std::uint32_t variable) {
    const core::Layout::Slot* slot = node.outputs.find(variable);
    if (slot == nullptr) return std::nullopt;
    return core::SignalRef{
        .type = slot->type, .input = false, .index = node.output_base[core::index_of(slot->type)] + slot->offset};
}

}  // namespace master::build
