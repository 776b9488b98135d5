#include "master/fmi/unit/me_unit.hpp"

#include "master/fmi/unit/solver_tolerance.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace master::fmi {
namespace {

/// Absolute tolerance of a state = this * relative tolerance * nominal value. Common simulators use 1; the hundredth
/// keeps states accurate that pass through zero.
constexpr double absolute_share = 0.01;
/// Events in one step from which on a run says so (as many have rows in results), and from which on it is ended.
constexpr int many_events = 100;
constexpr int most_events = 100'000;
constexpr int most_steps = 5'000'000;

}  // namespace

template <class Calls>
ModelExchangeUnit<Calls>::ModelExchangeUnit(const UnitContext& context)
    : Base(context), calls_(context.library), callbacks2_(callbacks_for(relay_)), environment3_{&relay_, this} {
    for (std::size_t i = 0; i < info().variables.size(); ++i) {
        const core::Variable& variable = info().variables[i];
        const bool is_continuous = variable.variability == core::Variability::continuous;
        const bool is_continuous_input = variable.causality == core::Causality::input && is_continuous;
        const bool is_double = context.description.natives[i] == Native::float64;
        this->takes_slope_[i] = is_continuous_input && is_double;
        this->event_only_[i] = variable.can_set_during_run && !is_continuous;
        has_narrow_inputs_ |= is_continuous_input && !is_double;
    }
    this->reads_refreshed_ = true;
    if constexpr (Calls::version == Version::fmi3) clocks_.emplace(context.description, context.library);
    instantiate(context);
}

template <class Calls>
void ModelExchangeUnit<Calls>::instantiate(const UnitContext& context) {
    const std::string place = this->resources();
    const char* name = relay_.unit().c_str();
    const char* token = context.description.info.token.c_str();
    if constexpr (Calls::version == Version::fmi2) {
        const auto make = library().template require<fmi2InstantiateTYPE>("Instantiate");
        this->adopt([&](bool logging) {
            return make(name, fmi2ModelExchange, token, place.c_str(), &callbacks2_, fmi2False,
                        logging ? fmi2True : fmi2False);
        });
    } else {
        const auto make = library().template require<fmi3InstantiateModelExchangeTYPE>("InstantiateModelExchange");
        this->adopt([&](bool logging) {
            return make(name, token, place.empty() ? nullptr : place.c_str(), false, logging, &environment3_,
                        log_message3);
        });
    }
}

template <class Calls>
void ModelExchangeUnit<Calls>::set_up(const core::RunWindow& run) {
    tolerance_ = run.solver_factor * solver_tolerance(run.tolerance, info());
    at_ = timebase_.seconds(run.start);
    Base::set_up(run);
}

template <class Calls>
void ModelExchangeUnit<Calls>::exit_initialization() {
    Base::exit_initialization();
    mode_ = Mode::event;
    make_integrator();
}

template <class Calls>
void ModelExchangeUnit<Calls>::make_integrator() {
    const ModelDescription& description = this->description();
    state_count_ = 0;
    for (const std::uint32_t variable : description.derivatives) state_count_ += info().variables[variable].size;
    indicator_count_ = description.event_indicators;
    if constexpr (Calls::version == Version::fmi3) {
        // Structural parameters may have changed the numbers.
        using Count = fmi3Status(fmi3Instance, std::size_t*);
        if (const auto count = library().template find<Count>("GetNumberOfContinuousStates")) {
            check("GetNumberOfContinuousStates", count(instance_, &state_count_));
        }
        if (const auto count = library().template find<Count>("GetNumberOfEventIndicators")) {
            check("GetNumberOfEventIndicators", count(instance_, &indicator_count_));
        }
    }
    integrator_ = std::make_unique<Integrator>(*this, state_count_, indicator_count_);
    series_ = EventSeries(indicator_count_);
    nominals_.assign(state_count_, 1);
    states_now_.assign(state_count_, 0);
    indicators_now_.assign(indicator_count_, 0);
    positive_.assign(indicator_count_, false);
}

template <class Calls>
void ModelExchangeUnit<Calls>::set_tolerances() {
    check("GetNominalsOfContinuousStates", calls_.get_nominals(instance_, nominals_.data(), state_count_));
    for (double& nominal : nominals_) {
        const double size = std::fabs(nominal);
        nominal = absolute_share * tolerance_ * (size > 0 && std::isfinite(size) ? size : 1);
    }
    integrator_->set_tolerances(tolerance_, nominals_);
}

/// In Continuous-Time Mode only continuous inputs may be set; what else changed waits for Event Mode.
template <class Calls>
void ModelExchangeUnit<Calls>::write_special(core::Group group, const core::ConstBlock& inputs) {
    if (group.index == 0) jumped_ |= sloped_.take(inputs) || has_narrow_inputs_;
    if (mode_ != Mode::step) {
        if (group.index == 0) discrete_changed_ = false;
        return check_transfer(inputs_, inputs_.write(instance_, group, inputs));
    }
    check_transfer(inputs_, inputs_.write_continuous(instance_, group, inputs));
    discrete_changed_ |= inputs_.stage(group, inputs);
}

template <class Calls>
void ModelExchangeUnit<Calls>::refresh() {
    if (mode_ == Mode::step) event_happened_ |= handle_input_event();
}

template <class Calls>
void ModelExchangeUnit<Calls>::restored() {
    states_changed_ = nominals_changed_ = needs_reset_ = true;
    event_due_ = jumped_ = discrete_changed_ = false;
    series_.forget();
    if (mode_ != Mode::step) return;
    check("GetContinuousStates", calls_.get_states(instance_, integrator_->states().data(), state_count_));
    remember_indicators();
}

template <class Calls>
int ModelExchangeUnit<Calls>::recoverable(const char* function, int status) {
    if (status <= Status::warning) {
        check(function, status);
        return 0;
    }
    if (status == Status::discard) {  // the states are out of range: a smaller step may help
        refused_ = {function, "returned discard"};
        return 1;
    }
    failed_status_ = status;
    failed_function_ = function;
    return -1;
}

template <class Calls>
int ModelExchangeUnit<Calls>::move_to(double t, const double* states) {
    if (const int result = recoverable("SetTime", calls_.set_time(instance_, t))) return result;
    if (sloped_.sloped()) {
        sloped_.evaluate(t - step_begin_);
        sloped_.evaluate_followed(t, t > piece_begin_ ? core::Side::before : core::Side::after);
        if (const int result = recoverable("Set of inputs", sloped_.send(instance_))) return result;
    }
    if (state_count_ == 0) return 0;
    return recoverable("SetContinuousStates", calls_.set_states(instance_, states, state_count_));
}

template <class Calls>
int ModelExchangeUnit<Calls>::derivatives(double t, const double* states, double* rates) {
    if (const int result = move_to(t, states)) return result;
    const int result = recoverable(calls_.derivatives_name, calls_.get_derivatives(instance_, rates, state_count_));
    const bool finite = std::all_of(rates, rates + state_count_, [](double rate) { return std::isfinite(rate); });
    if (result != 0 || finite) return result;
    refused_ = {calls_.derivatives_name, "gave a value that is not a number or infinite"};
    return 1;
}

template <class Calls>
int ModelExchangeUnit<Calls>::indicators(double t, const double* states, double* values) {
    if (const int result = move_to(t, states)) return result;
    return recoverable("GetEventIndicators", calls_.get_indicators(instance_, values, indicator_count_));
}

template <class Calls>
void ModelExchangeUnit<Calls>::remember_indicators() {
    if (indicator_count_ == 0) return;
    check("GetEventIndicators", calls_.get_indicators(instance_, indicators_now_.data(), indicator_count_));
    for (std::size_t i = 0; i < indicator_count_; ++i) positive_[i] = indicators_now_[i] > 0;
}

template <class Calls>
bool ModelExchangeUnit<Calls>::indicators_crossed() {
    if (indicator_count_ == 0) return false;
    check("GetEventIndicators", calls_.get_indicators(instance_, indicators_now_.data(), indicator_count_));
    for (std::size_t i = 0; i < indicator_count_; ++i) {
        if (positive_[i] != (indicators_now_[i] > 0)) return true;
    }
    return false;
}

template <class Calls>
bool ModelExchangeUnit<Calls>::handle_input_event() {
    needs_restart_ |= jumped_;
    const bool crossed = jumped_ && indicators_crossed();
    jumped_ = false;
    if (!crossed && !discrete_changed_) return false;
    statistics_.state_events += crossed ? 1 : 0;
    handle_event();
    return true;
}

template <class Calls>
core::StepResult ModelExchangeUnit<Calls>::step(base::Time t, base::Duration h) {
    Goal goal{timebase_.seconds(t), timebase_.seconds(t + h), 0};
    goal.slack = 1e-12 * (goal.end - goal.begin) + 8 * std::numeric_limits<double>::epsilon() * std::fabs(goal.end);
    relay_.set_time(goal.begin);
    if (std::fabs(at_ - goal.begin) > goal.slack) needs_reset_ = true;
    at_ = step_begin_ = piece_begin_ = goal.begin;
    events_in_step_ = 0;
    integrator_->set_span(goal.end - goal.begin);

    event_happened_ |= handle_input_event();
    if (event_due_ || next_event_time_ <= at_ + goal.slack) handle_event();
    while (!terminate_ && at_ < goal.end - goal.slack) {
        const double corner = sloped_.next_corner(at_);
        bool due = integrate(goal, std::min({next_event_time_, corner, goal.end}));
        if (terminate_) break;
        if (at_ >= goal.end - goal.slack) {
            event_due_ = due;
            break;
        }
        if (corner <= at_ + goal.slack) due |= pass_corner(corner);
        if (due) handle_event();
    }
    if (!terminate_ && !event_due_) remember_indicators();
    return finish(t, h, at_, terminate_);
}

template <class Calls>
bool ModelExchangeUnit<Calls>::pass_corner(double corner) {
    // A corner is at its own time, not a rounding error after the solver's.
    at_ = piece_begin_ = std::max(at_, corner);
    check("SetTime", calls_.set_time(instance_, at_));
    const bool jumps = sloped_.jumps_at(corner);
    statistics_.time_events += jumps ? 1 : 0;
    return jumps;
}

template <class Calls>
core::StepResult ModelExchangeUnit<Calls>::finish(base::Time t, base::Duration h, double at, bool terminate) {
    relay_.set_time(at);
    if (this->watches_) this->watch_floating_point();
    const bool happened = std::exchange(event_happened_, false);
    const bool inside = terminate && at < timebase_.seconds(t + h);
    return {.reached = inside ? timebase_.nearest(at) : t + h,
            .event = happened || event_due_,
            .wants_event_mode = event_due_ || (clocks_ && clocks_->has_kept()),
            .terminate = terminate};
}

template <class Calls>
bool ModelExchangeUnit<Calls>::integrate(const Goal& goal, double stop) {
    bool due = false;
    const bool nothing_moves = state_count_ == 0 && indicator_count_ == 0;
    // What is left may be less than the solver can step; the states do not move in so short a time.
    if (nothing_moves || stop - at_ <= goal.slack) {
        at_ = std::max(at_, stop);
        due = arrive(false);
        if (terminate_) return false;
    }
    for (int steps = 0; !due && at_ < stop - goal.slack; ++steps) {
        if (steps == most_steps) {
            fail_with("integrator",
                      fmt::format("more than {} solver steps from t = {} to t = {}", most_steps, goal.begin, goal.end));
        }
        begin_anew();
        integrator_->limit_step(series_.step_limit(at_));
        refused_ = {};
        due = accept_step(integrator_->advance(stop));
        if (terminate_) return false;
    }
    if (next_event_time_ <= at_ + goal.slack) {
        ++statistics_.time_events;
        // A time event is at its own time, not a rounding error before it.
        at_ = std::max(at_, next_event_time_);
        check("SetTime", calls_.set_time(instance_, at_));
        return true;
    }
    return due;
}

/// Starts the solver again where something happened since its last step.
template <class Calls>
void ModelExchangeUnit<Calls>::begin_anew() {
    if (!needs_reset_ && !needs_restart_) return;
    needs_reset_ ? integrator_->reset(at_) : integrator_->restart(at_);
    ++statistics_.resets;
    needs_reset_ = needs_restart_ = false;
}

template <class Calls>
bool ModelExchangeUnit<Calls>::accept_step(Integrator::Outcome outcome) {
    if (failed_status_ > Status::warning) this->fail(failed_function_, failed_status_);
    at_ = integrator_->time();
    relay_.set_time(at_);
    if (outcome == Integrator::Outcome::failed) {
        const std::string cause =
            *refused_.function != '\0' ? fmt::format("{}{} {}; ", Calls::prefix, refused_.function, refused_.how) : "";
        fail_with("integrator", "the solver cannot go on; " + cause + integrator_->message());
    }
    ++statistics_.steps;
    if (outcome == Integrator::Outcome::root) watch_crossings();
    return arrive(outcome == Integrator::Outcome::root);
}

template <class Calls>
bool ModelExchangeUnit<Calls>::arrive(bool root) {
    if (move_to(at_, integrator_->states().data()) != 0) {
        this->fail(failed_status_ > Status::warning ? failed_function_ : "SetContinuousStates",
                   std::max<int>(failed_status_, Status::discard));
    }
    CompletedStep completed;
    if (this->description().model_exchange->needs_completed_step) {
        check("CompletedIntegratorStep", calls_.completed_step(instance_, no_restore_, completed));
    }
    terminate_ = completed.terminate;
    statistics_.state_events += root ? 1 : 0;
    statistics_.step_events += completed.enter_event_mode ? 1 : 0;
    return root || completed.enter_event_mode;
}

/// State events that come ever closer: none is jumped over, and the run does not go on beyond the time at which they
/// accumulate, where the unit has no solution.
template <class Calls>
void ModelExchangeUnit<Calls>::watch_crossings() {
    const EventSeries::Verdict verdict = series_.add(integrator_->crossings(), at_);
    if (verdict == EventSeries::Verdict::apart) return;
    const EventSeries::Series& seen = series_.closing();
    if (verdict == EventSeries::Verdict::accumulating) {
        fail_with("event-storm", fmt::format("state events accumulate here, {} in a row ever closer, from {:.2g} s to "
                                             "{:.2g} s apart (Zeno behaviour): the unit has no solution beyond",
                                             seen.count, seen.first, seen.last));
    }
    if (std::exchange(noted_closing_, true)) return;
    relay_.remark(base::Log::Level::warning,
                  fmt::format("state events come ever closer, {} in a row, from {:.2g} s to {:.2g} s apart (Zeno "
                              "behaviour): the solver's steps are kept shorter, so that none is missed",
                              seen.count, seen.first, seen.last));
}

/// Bounds events that do not let time go on, and notes a unit that has very many.
template <class Calls>
void ModelExchangeUnit<Calls>::count_event() {
    const bool same_instant = at_ - last_event_ <= 1e-12 * std::max(1.0, std::fabs(at_));
    events_at_instant_ = same_instant ? events_at_instant_ + 1 : 0;
    last_event_ = at_;
    ++events_in_step_;
    if (events_at_instant_ > most_event_rounds || events_in_step_ > most_events) {
        fail_with("event-storm", fmt::format("{} events without an end, {} of them at t = {}", events_in_step_,
                                             events_at_instant_, at_));
    }
    if (events_in_step_ <= many_events || noted_chatter_) return;
    noted_chatter_ = true;
    relay_.remark(base::Log::Level::warning,
                  fmt::format("more than {} events in one step, which is slow; results have rows for the first of them "
                              "only, a smaller step has them all",
                              many_events));
}

template <class Calls>
void ModelExchangeUnit<Calls>::handle_event() {
    relay_.set_time(at_);
    count_event();
    event_happened_ = true;
    const auto read = [this](const core::Block& outputs) {
        check_transfer(outputs_, outputs_.read(instance_, {}, outputs));
    };
    inner_events_.before(at_, read);
    enter_event();
    if (sloped_.follows()) {
        sloped_.evaluate_followed(at_, core::Side::after);
        check("Set of inputs", sloped_.send(instance_));
    }
    if (discrete_changed_) check_transfer(inputs_, inputs_.send_staged(instance_, {}));
    discrete_changed_ = false;
    for (int round = 0; round < most_event_rounds; ++round) {
        const core::EventUpdate update = update_discrete();
        if (clocks_) check("GetClock or fmi3GetInterval", clocks_->keep(instance_, at_));
        terminate_ = update.terminate;
        if (terminate_) return;
        if (update.again) continue;
        enter_step();
        return inner_events_.after(read);
    }
    fail_with("event-storm", fmt::format("the event at t = {} does not settle in {} updates", at_, most_event_rounds));
}

template <class Calls>
void ModelExchangeUnit<Calls>::enter_event() {
    event_due_ = false;
    if (mode_ == Mode::event) return;
    check("EnterEventMode", calls_.enter_event_mode(instance_));
    mode_ = Mode::event;
}

template <class Calls>
void ModelExchangeUnit<Calls>::activate(std::span<const std::uint32_t> input_clocks) {
    if (clocks_) check("SetClock", clocks_->activate(instance_, input_clocks));
}

template <class Calls>
void ModelExchangeUnit<Calls>::active(std::vector<std::uint32_t>& ticking) {
    if (clocks_) check("GetClock", clocks_->active(instance_, ticking));
}

template <class Calls>
core::EventUpdate ModelExchangeUnit<Calls>::update_discrete() {
    DiscreteUpdate update;
    check(calls_.update_name, calls_.update_discrete(instance_, update));
    states_changed_ |= update.states_changed;
    nominals_changed_ |= update.nominals_changed;
    this->set_next_event_time(update.has_next, update.next_event_time);
    return {.again = update.again, .terminate = update.terminate, .next_event_time = next_event_time()};
}

template <class Calls>
void ModelExchangeUnit<Calls>::intervals(std::vector<core::ClockInterval>& changed) {
    if (clocks_) check("GetInterval", clocks_->intervals(instance_, at_, changed));
}

/// Every event may change the right-hand side: the solver begins anew.
template <class Calls>
void ModelExchangeUnit<Calls>::enter_step() {
    check("EnterContinuousTimeMode", calls_.enter_continuous_time_mode(instance_));
    mode_ = Mode::step;
    jumped_ = false;
    needs_reset_ = true;
    if (state_count_ > 0) take_states();
    if (state_count_ > 0 && nominals_changed_) set_tolerances();
    states_changed_ = nominals_changed_ = false;
    remember_indicators();
}

/// Some exporters change states at an event and do not say so: they are read whatever the unit says.
template <class Calls>
void ModelExchangeUnit<Calls>::take_states() {
    check("GetContinuousStates", calls_.get_states(instance_, states_now_.data(), state_count_));
    const bool changed = !std::ranges::equal(states_now_, integrator_->states());
    std::ranges::copy(states_now_, integrator_->states().begin());
    if (!changed || states_changed_ || std::exchange(noted_states_, true)) return;
    relay_.remark(base::Log::Level::info,
                  "an event changed continuous states although the unit says that it did not "
                  "(valuesOfContinuousStatesChanged is false); the new values are used");
}

template <class Calls>
std::optional<double> ModelExchangeUnit<Calls>::next_event_time() const {
    return next_event_time_ == never ? std::nullopt : std::optional(next_event_time_);
}

template <class Calls>
std::vector<std::pair<std::string, std::uint64_t>> ModelExchangeUnit<Calls>::statistics() const {
    auto all = Base::statistics();
    all.insert(all.end(), {{"solver steps", statistics_.steps},
                           {"evaluations of the derivatives", integrator_ ? integrator_->evaluations() : 0},
                           {"evaluations of the Jacobian", integrator_ ? integrator_->jacobians() : 0},
                           {"solver restarts", statistics_.resets},
                           {"state events", statistics_.state_events},
                           {"time events", statistics_.time_events},
                           {"step events", statistics_.step_events}});
    return all;
}

template class ModelExchangeUnit<Calls2>;
template class ModelExchangeUnit<Calls3>;

}  // namespace master::fmi
