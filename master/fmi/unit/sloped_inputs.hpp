#pragma once

#include "master/core/signals.hpp"
#include "master/core/unit.hpp"
#include "master/fmi/unit/calls.hpp"

#include <cstdint>
#include <vector>

namespace master::fmi {

/// The inputs of a unit that change inside a step: value at its start plus slope times the time since then.
template <class Calls>
class SlopedInputs {
public:
    using Instance = typename Calls::Instance;
    using Reference = typename Calls::Reference;

    void bind(const core::Layout& inputs, const ModelDescription& description, const Library& library,
              const std::vector<bool>& takes_slope) {
        references_.clear();
        lanes_.clear();
        for (const core::Layout::Slot& slot : inputs.slots) {
            if (!takes_slope[slot.variable] || slot.group.index != 0) continue;
            references_.push_back(description.references[slot.variable]);
            for (std::uint32_t i = 0; i < slot.count; ++i) lanes_.push_back(slot.offset + i);
        }
        starts_.assign(lanes_.size(), 0);
        slopes_.assign(lanes_.size(), 0);
        values_.assign(lanes_.size(), 0);
        if (!lanes_.empty()) set_ = library.require("Set" + std::string(Calls::type_name(Native::float64)));
    }

    /// Takes values and slopes for the next step; true when an input starts elsewhere than `values` ended.
    bool take(const core::ConstBlock& inputs) {
        bool jumped = false;
        sloped_ = false;
        for (std::size_t i = 0; i < lanes_.size(); ++i) {
            starts_[i] = inputs.reals[lanes_[i]];
            slopes_[i] = inputs.slopes == nullptr ? 0 : inputs.slopes[lanes_[i]];
            sloped_ |= slopes_[i] != 0;
            jumped |= !(starts_[i] == values_[i]);
        }
        values_ = starts_;
        return jumped;
    }

    void evaluate(double since_start) {
        for (std::size_t i = 0; i < lanes_.size(); ++i) values_[i] = starts_[i] + slopes_[i] * since_start;
    }

    [[nodiscard]] int send(Instance instance) const {
        return Calls::template set<double>(set_, instance, references_.data(), references_.size(), values_.data(),
                                           values_.size());
    }

    [[nodiscard]] bool empty() const { return lanes_.empty(); }
    /// An input has a slope in the step that comes or runs.
    [[nodiscard]] bool sloped() const { return sloped_; }
    [[nodiscard]] const std::vector<Reference>& references() const { return references_; }
    [[nodiscard]] const std::vector<double>& slopes() const { return slopes_; }

private:
    AnyFunction set_ = nullptr;
    std::vector<Reference> references_;
    std::vector<std::uint32_t> lanes_;  // where each element lies in the unit's slice of reals
    std::vector<double> starts_, slopes_, values_;
    bool sloped_ = false;
};

}  // namespace master::fmi
