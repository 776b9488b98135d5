#include "master/analysis/linear/linear_unit.hpp"

#include <algorithm>

namespace master::analysis {

LinearUnit::LinearUnit(const core::Node& original, const UnitModel& model)
    : original_(original),
      model_(model),
      states_(model.a.rows, 0),
      next_(model.a.rows, 0),
      values_(model.b.columns, 0),
      slopes_(model.b.columns, 0) {}

void LinearUnit::bind(const core::Ports& ports) {
    const auto lanes = [&](const std::vector<std::uint32_t>& variables, const core::Layout& original) {
        std::vector<Lane> result;
        for (const core::Layout::Slot& slot : core::layout(info(), variables).slots) {
            if (slot.type != core::Type::real) continue;
            const core::Layout::Slot& from = *original.find(slot.variable);
            for (std::uint32_t e = 0; e < slot.count; ++e) result.push_back({slot.offset + e, from.offset + e});
        }
        return result;
    };
    inputs_ = lanes(ports.inputs, original_.inputs);
    outputs_ = lanes(ports.outputs, original_.outputs);
}

void LinearUnit::write(core::Group group, const core::ConstBlock& inputs) {
    if (group.index != 0) return;
    for (const Lane& lane : inputs_) {
        if (lane.original >= values_.size()) continue;
        values_[lane.original] = inputs.reals[lane.here];
        slopes_[lane.original] = inputs.slopes == nullptr ? 0 : inputs.slopes[lane.here];
    }
}

core::StepResult LinearUnit::step(base::Time t, base::Duration h) {
    for (std::size_t r = 0; r < next_.size(); ++r) {
        next_[r] = 0;
        for (std::size_t c = 0; c < next_.size(); ++c) next_[r] += model_.a(r, c) * states_[c];
        for (std::size_t c = 0; c < values_.size(); ++c)
            next_[r] += model_.b(r, c) * values_[c] + model_.slope(r, c) * slopes_[c];
    }
    std::ranges::copy(next_, states_.begin());
    for (std::size_t c = 0; c < values_.size(); ++c) {
        values_[c] += slopes_[c] * model_.period;
        slopes_[c] = 0;
    }
    return {.reached = t + h};
}

void LinearUnit::read(core::Group group, const core::Block& outputs) {
    if (group.index != 0) return;
    for (const Lane& lane : outputs_) {
        double y = 0;
        for (std::size_t c = 0; c < states_.size(); ++c) y += model_.c(lane.original, c) * states_[c];
        for (std::size_t c = 0; c < values_.size(); ++c) y += model_.d(lane.original, c) * values_[c];
        outputs.reals[lane.here] = y;
    }
}

SourceUnit::SourceUnit() {
    info_.model_name = "source";
    info_.variables.push_back({.name = "y", .declared_type = "Float64", .causality = core::Causality::output});
    info_.outputs.push_back({.variable = 0, .dependencies = std::vector<std::uint32_t>{}});
}

}  // namespace master::analysis
