#pragma once

#include "master/analysis/linear/unit_model.hpp"
#include "master/core/plain_unit.hpp"

#include <span>
#include <vector>

namespace master::analysis {

/// A unit's linear model in its place: the same variables, the same steps, deviations instead of values. What couples
/// the original couples this one, too.
class LinearUnit final : public core::PlainUnit {
public:
    /// Both must outlive it.
    LinearUnit(const core::Node& original, const UnitModel& model);

    /// They stay where they are.
    [[nodiscard]] std::span<double> states() { return states_; }
    [[nodiscard]] const std::string& state_name(std::size_t state) const { return model_.states[state]; }

    [[nodiscard]] const core::UnitInfo& info() const override { return original_.unit->info(); }
    void bind(const core::Ports& ports) override;
    void write(core::Group group, const core::ConstBlock& inputs) override;
    [[nodiscard]] core::StepResult step(base::Time t, base::Duration h) override;
    void read(core::Group group, const core::Block& outputs) override;
    [[nodiscard]] bool takes_slope(std::uint32_t variable) const override {
        return original_.unit->takes_slope(variable);
    }

private:
    struct Lane {
        std::size_t here = 0, original = 0;  // places in the slices
    };

    const core::Node& original_;
    const UnitModel& model_;
    std::vector<Lane> inputs_, outputs_;
    std::vector<double> states_, next_, values_, slopes_;  // inputs in the order of the model
};

/// A signal from nowhere: one real output that somebody else sets.
class SourceUnit final : public core::PlainUnit {
public:
    SourceUnit();

    double value = 0;

    [[nodiscard]] const core::UnitInfo& info() const override { return info_; }
    void read(core::Group, const core::Block& outputs) override { outputs.reals[0] = value; }

private:
    core::UnitInfo info_;
};

}  // namespace master::analysis
