#pragma once

#include "master/core/signals.hpp"
#include "master/core/unit.hpp"
#include "master/fmi/unit/calls.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace master::fmi {

/// The inputs of a unit that change inside a step: value at its start plus slope times the time since then, or a signal
/// that is followed.
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
        followed_.clear();
        starts_.assign(lanes_.size(), 0);
        slopes_.assign(lanes_.size(), 0);
        values_.assign(lanes_.size(), 0);
        if (!lanes_.empty())
            set_ = {library.require("Set" + std::string(Calls::type_name(Native::float64))), Calls::set_reals};
    }

    /// Takes values and slopes for the next step; true when an input starts elsewhere than `values` ended.
    bool take(const core::ConstBlock& inputs) {
        bool jumped = false;
        sloped_ = follows();
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

    /// The real at `offset` of the unit's slice follows a signal.
    void follow(std::uint32_t offset, const core::ForeseenSignal& signal) {
        const auto index = static_cast<std::size_t>(std::ranges::find(lanes_, offset) - lanes_.begin());
        followed_.push_back({index, signal});
    }
    [[nodiscard]] bool follows() const { return !followed_.empty(); }

    /// Values of the followed signals; as long as there is none, the value at the start of the step stays.
    void evaluate_followed(double t, core::Side side) {
        for (const Followed& followed : followed_) {
            const double value = followed.signal.at(t, side);
            if (!std::isnan(value)) values_[followed.index] = value;
        }
    }

    /// The first time after `t` at which a followed signal is not straight; infinite when there is none.
    [[nodiscard]] double next_corner(double t) const {
        double next = std::numeric_limits<double>::infinity();
        for (const auto& [index, signal] : followed_)
            next = std::min(next, signal.source->next_corner(signal.variable, t));
        return next;
    }

    /// True when a followed signal jumps at `t`.
    [[nodiscard]] bool jumps_at(double t) const {
        return std::ranges::any_of(followed_, [t](const Followed& followed) {
            const double after = followed.signal.at(t, core::Side::after);
            return !std::isnan(after) && after != followed.signal.at(t, core::Side::before);
        });
    }

    [[nodiscard]] int send(Instance instance) const {
        return Calls::template set<double>(set_, instance, references_.data(), references_.size(), values_.data(),
                                           values_.size());
    }

    [[nodiscard]] bool empty() const { return lanes_.empty(); }
    /// An input has a slope, or follows a signal, in the step that comes or runs.
    [[nodiscard]] bool sloped() const { return sloped_; }
    [[nodiscard]] const std::vector<Reference>& references() const { return references_; }
    [[nodiscard]] const std::vector<double>& slopes() const { return slopes_; }

private:
    struct Followed {
        std::size_t index = 0;  // of the element
        core::ForeseenSignal signal;
    };

    NumberedFunction set_;
    std::vector<Reference> references_;
    std::vector<std::uint32_t> lanes_;  // where each element lies in the unit's slice of reals
    std::vector<double> starts_, slopes_, values_;
    std::vector<Followed> followed_;
    bool sloped_ = false;
};

}  // namespace master::fmi
