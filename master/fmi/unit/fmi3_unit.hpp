#pragma once

#include "master/fmi/unit/callbacks.hpp"
#include "master/fmi/unit/clocks.hpp"
#include "master/fmi/unit/fmu_unit.hpp"
#include "master/fmi/unit/inner_events.hpp"

namespace master::fmi {

/// An FMI 3 co-simulation unit. Events strictly inside a step (early return, nextEventTime) are handled here, with held
/// inputs; what other units must hear of them (clocks that ticked, new countdowns) is kept until the end of the step.
class Fmi3Unit final : public FmuUnit<Calls3>, public core::EventUnit {
public:
    explicit Fmi3Unit(const UnitContext& context);

    void exit_initialization() override;
    [[nodiscard]] core::StepResult step(base::Time t, base::Duration h) override;
    core::EventUnit* events() override { return has_event_mode_ ? this : nullptr; }

    void enter_event() override;
    void activate(std::span<const std::uint32_t> input_clocks) override;
    void active(std::vector<std::uint32_t>& ticking) override;
    [[nodiscard]] core::EventUpdate update_discrete() override;
    void intervals(std::vector<core::ClockInterval>& changed) override;
    void enter_step() override;
    [[nodiscard]] std::optional<double> next_event_time() const override;
    void keep_inner_events(std::size_t most) override { inner_events_.make(outputs_.layout(), most); }
    [[nodiscard]] std::span<const core::InnerEvent> inner_events() const override { return inner_events_.events(); }
    void forget_inner_events() override { inner_events_.forget(); }
    [[nodiscard]] std::uint64_t inner_event_count() const override { return inner_events_.total(); }

private:
    /// A call of fmi3DoStep and how it ended.
    struct Attempt : StepAnswer {
        double from = 0;
    };
    /// A clock, and the first output that belongs to its ticks; both are variables.
    struct ClockedOutput {
        std::uint32_t clock = 0, output = 0;
    };
    /// A step in progress, in seconds.
    struct Goal {
        base::Time t;
        base::Duration h;
        double begin = 0, end = 0, slack = 0;
    };

    static void intermediate_update(fmi3InstanceEnvironment environment, fmi3Float64 time, fmi3Boolean set_requested,
                                    fmi3Boolean get_allowed, fmi3Boolean step_finished, fmi3Boolean can_return_early,
                                    fmi3Boolean* early_return_requested, fmi3Float64* early_return_time);

    void write_special(core::Group group, const core::ConstBlock& inputs) override;
    [[nodiscard]] Goal goal_of(base::Time t, base::Duration h) const;
    [[nodiscard]] Attempt attempt(const Goal& goal, double from);
    [[nodiscard]] AnyFunction plain_step() const override { return do_step_.plain(); }
    [[nodiscard]] double plain_until() const override;
    core::StepResult finish_plain_step(const core::StepInterval& step, StepAnswer answer) override;
    [[nodiscard]] core::StepResult step_with_events(const Goal& goal);
    [[gnu::cold]] core::StepResult finish_step(const Goal& goal, const Attempt& first);
    [[nodiscard]] core::StepResult finish_parts(const Goal& goal, Attempt attempt);
    /// The unit's own event inside a step; true when it wants to end the simulation.
    void remark_beyond(const Goal& goal, double last);
    void remark_inner_ticks(double at);
    [[nodiscard]] bool handle_event(double at);
    [[nodiscard]] double next_stop(const Goal& goal) const;

    Function<fmi3DoStepTYPE> do_step_;
    Function<fmi3EnterEventModeTYPE> enter_event_mode_;
    Function<fmi3UpdateDiscreteStatesTYPE> update_discrete_states_;
    Function<fmi3EnterStepModeTYPE> enter_step_mode_;
    bool has_event_mode_ = false;
    bool noted_beyond_ = false;
    bool discrete_changed_ = false;  // staged inputs differ from what the FMU has
    int intermediate_status_ = Status::ok;
    double step_begin_ = 0;
    Clocks clocks_;
    std::vector<ClockedOutput> clocked_outputs_;  // empty once ticks inside a step were remarked
    InnerEvents inner_events_;
    Environment3 environment_;
};

}  // namespace master::fmi
