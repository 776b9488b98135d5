#pragma once

#include "master/fmi/unit/callbacks.hpp"
#include "master/fmi/unit/clocks.hpp"
#include "master/fmi/unit/event_series.hpp"
#include "master/fmi/unit/fmu_unit.hpp"
#include "master/fmi/unit/inner_events.hpp"
#include "master/fmi/unit/integrator.hpp"
#include "master/fmi/unit/me_calls.hpp"

namespace master::fmi {

/// A model-exchange unit of FMI 2 or FMI 3, integrated by the master. Events strictly inside a step are handled here;
/// an event at the end of a step is left to the master. Inputs with slopes are evaluated inside the step, and outputs
/// read after a write belong to the new inputs.
template <class Calls>
class ModelExchangeUnit final : public FmuUnit<Calls>, public core::EventUnit, public OdeSystem {
public:
    explicit ModelExchangeUnit(const UnitContext& context);

    void set_up(const core::RunWindow& run) override;
    void exit_initialization() override;
    [[nodiscard]] core::StepResult step(base::Time t, base::Duration h) override;
    core::EventUnit* events() override { return this; }
    [[nodiscard]] bool can_follow(std::uint32_t variable) const override { return this->takes_slope(variable); }
    void follow(std::uint32_t offset, const core::ForeseenSignal& signal) override { sloped_.follow(offset, signal); }
    [[nodiscard]] std::optional<core::LocalModel> local_model() override;
    [[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>> statistics() const override;

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
    using Base = FmuUnit<Calls>;
    using Base::check;
    using Base::check_transfer;
    using Base::fail_with;
    using Base::info;
    using Base::inputs_;
    using Base::instance_;
    using Base::library;
    using Base::mode_;
    using Base::next_event_time_;
    using Base::no_restore_;
    using Base::outputs_;
    using Base::relay_;
    using Base::sloped_;
    using Base::timebase_;
    using typename Base::Mode;

    /// A step in progress, in seconds.
    struct Goal {
        double begin = 0, end = 0, slack = 0;
    };
    struct Statistics {
        std::uint64_t steps = 0, resets = 0, state_events = 0, time_events = 0, step_events = 0;
    };

    void instantiate(const UnitContext& context);
    void make_integrator();
    void set_tolerances();

    void write_special(core::Group group, const core::ConstBlock& inputs) override;
    void refresh() override;
    void restored() override;
    [[nodiscard]] int derivatives(double t, const double* states, double* rates) override;
    [[nodiscard]] int indicators(double t, const double* states, double* values) override;
    [[nodiscard]] int move_to(double t, const double* states);
    [[nodiscard]] int recoverable(const char* function, int status);

    [[nodiscard]] core::StepResult finish(base::Time t, base::Duration h, double at, bool terminate);
    /// Integrates to the next point where something happens, at most to `stop`; true when an event is due there.
    [[nodiscard]] bool integrate(const Goal& goal, double stop);
    void begin_anew();
    [[nodiscard]] bool accept_step(Integrator::Outcome outcome);
    /// Puts the FMU where the solver is, with the step accepted; true when an event is due.
    [[nodiscard]] bool arrive(bool root);
    /// Enters Event Mode where inputs that jumped call for it; true when it did.
    bool handle_input_event();
    void handle_event();
    /// Where followed signals are not straight, at most at the end of the step; true when one jumps there.
    [[nodiscard]] bool pass_corner(double corner);
    void count_event();
    void take_states();
    void watch_crossings();
    [[nodiscard]] bool indicators_crossed();
    void remember_indicators();

    ModelExchangeCalls<Calls> calls_;
    fmi2CallbackFunctions callbacks2_;
    Environment3 environment3_;
    std::optional<Clocks> clocks_;  // FMI 3
    std::unique_ptr<Integrator> integrator_;
    std::size_t state_count_ = 0, indicator_count_ = 0;
    double tolerance_ = 1e-6;
    double at_ = 0;           // where the FMU is
    double step_begin_ = 0;   // where inputs with slopes have their start values
    double piece_begin_ = 0;  // of the straight piece of the followed signals that is integrated
    std::vector<double> nominals_, states_now_, indicators_now_;
    std::vector<bool> positive_;  // of each indicator, after the last step or event

    bool jumped_ = false;            // inputs differ from where their slopes ended
    bool discrete_changed_ = false;  // staged inputs differ from what the FMU has
    bool event_due_ = false;         // left to the master at the end of the last step
    bool event_happened_ = false;    // since the last step
    bool terminate_ = false;
    bool states_changed_ = true, nominals_changed_ = true;
    bool needs_reset_ = true;         // an event or a restored state: nothing that the solver knows holds
    bool needs_restart_ = false;      // inputs jumped
    bool has_narrow_inputs_ = false;  // continuous inputs that are no doubles: their jumps are not seen
    bool noted_chatter_ = false, noted_closing_ = false, noted_states_ = false;
    EventSeries series_;
    InnerEvents inner_events_;
    double last_event_ = -never;
    int events_at_instant_ = 0, events_in_step_ = 0;
    int failed_status_ = Status::ok;  // of a call inside the solver
    const char* failed_function_ = "";
    struct Refusal {
        const char *function = "", *how = "";
    } refused_;  // the last of a solver's step: it tried a smaller one
    Statistics statistics_;
};

extern template class ModelExchangeUnit<Calls2>;
extern template class ModelExchangeUnit<Calls3>;

}  // namespace master::fmi
