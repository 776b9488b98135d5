#include "master/fmi/unit/fmi3_unit.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace master::fmi {
namespace {

/// FMUs add up time in their own way: differences this small, relative to the step, are rounding.
constexpr double rounding = 1e-9;

}  // namespace

Fmi3Unit::Fmi3Unit(const UnitContext& context)
    : FmuUnit(context),
      do_step_(library().require<fmi3DoStepTYPE>("DoStep")),
      has_event_mode_(context.description.co_simulation->has_event_mode),
      clocks_(context.description, context.library),
      environment_{&relay_, this} {
    const InterfaceDescription& interface = *context.description.co_simulation;
    std::vector<fmi3ValueReference> intermediate;
    for (std::size_t i = 0; i < takes_slope_.size(); ++i) {
        const core::Variable& variable = info().variables[i];
        const bool is_input = variable.causality == core::Causality::input;
        const bool is_continuous = variable.variability == core::Variability::continuous;
        takes_slope_[i] = interface.provides_intermediate_update && variable.intermediate_update && is_input &&
                          is_continuous && description().natives[i] == Native::float64;
        event_only_[i] = has_event_mode_ && variable.can_set_during_run && !is_continuous;
        if (takes_slope_[i]) intermediate.push_back(description().references[i]);
        if (variable.causality != core::Causality::output) continue;
        for (const std::uint32_t clock : variable.clocks)
            if (std::ranges::find(clocked_outputs_, clock, &ClockedOutput::clock) == clocked_outputs_.end())
                clocked_outputs_.push_back({clock, static_cast<std::uint32_t>(i)});
    }
    const auto instantiate = library().require<fmi3InstantiateCoSimulationTYPE>("InstantiateCoSimulation");
    const std::string path = resources();
    if (has_event_mode_) {
        enter_event_mode_ = library().require<fmi3EnterEventModeTYPE>("EnterEventMode");
        update_discrete_states_ = library().require<fmi3UpdateDiscreteStatesTYPE>("UpdateDiscreteStates");
        enter_step_mode_ = library().require<fmi3EnterStepModeTYPE>("EnterStepMode");
    }
    const auto make = [&](bool logging) {
        return instantiate(relay_.unit().c_str(), info().token.c_str(), path.empty() ? nullptr : path.c_str(), false,
                           logging, has_event_mode_, has_event_mode_ && interface.may_return_early, intermediate.data(),
                           intermediate.size(), &environment_, log_message3,
                           intermediate.empty() ? nullptr : &Fmi3Unit::intermediate_update);
    };
    adopt([&](bool logging) {
        const fmi3Instance made = make(logging);
        if (made != nullptr || !has_event_mode_) return made;
        has_event_mode_ = false;
        return make(logging);
    });
    if (has_event_mode_ || !interface.has_event_mode) return;
    event_only_.assign(event_only_.size(), false);
    relay_.remark(base::Log::Level::warning, "the FMU claims Event Mode and refuses it; it is used without");
}

void Fmi3Unit::exit_initialization() {
    FmuUnit::exit_initialization();
    if (has_event_mode_) mode_ = Mode::event;
}

/// FMI 3.0.2, 4.2: with Event Mode only continuous inputs may be set in Step Mode. What else changed waits for the next
/// Event Mode, which `step` enters by itself if the master does not.
void Fmi3Unit::write_special(core::Group group, const core::ConstBlock& inputs) {
    if (group.index == 0) sloped_.take(inputs);
    if (mode_ != Mode::step || !inputs_.has_event_only(group)) {
        if (group.index == 0) discrete_changed_ = false;
        return check_transfer(inputs_, inputs_.write(instance_, group, inputs));
    }
    check_transfer(inputs_, inputs_.write_continuous(instance_, group, inputs));
    discrete_changed_ |= inputs_.stage(group, inputs);
}

/// Changed inputs and slopes need work before the step; else the time a little before the next event, to leave room for
/// rounding.
double Fmi3Unit::plain_until() const {
    if (discrete_changed_ || sloped_.sloped()) return -never;
    if (next_event_time_ == never) return never;
    return next_event_time_ - 1e-6 * std::max(1.0, std::fabs(next_event_time_));
}

void Fmi3Unit::intermediate_update(fmi3InstanceEnvironment environment, fmi3Float64 time, fmi3Boolean set_requested,
                                   fmi3Boolean /*get_allowed*/, fmi3Boolean /*step_finished*/,
                                   fmi3Boolean /*can_return_early*/, fmi3Boolean* early_return_requested,
                                   fmi3Float64* /*early_return_time*/) {
    if (early_return_requested != nullptr) *early_return_requested = false;
    auto& unit = *static_cast<Fmi3Unit*>(static_cast<Environment3*>(environment)->unit);
    if (!set_requested || !unit.sloped_.sloped()) return;
    unit.sloped_.evaluate(time - unit.step_begin_);
    const int status = unit.sloped_.send(unit.instance_);
    if (status > Status::warning) unit.intermediate_status_ = status;
}

Fmi3Unit::Goal Fmi3Unit::goal_of(base::Time t, base::Duration h) const {
    const double begin = timebase_.seconds(t);
    const double end = timebase_.seconds(t + h);
    const double resolution = 4 * std::numeric_limits<double>::epsilon() * std::fabs(end);
    return {t, h, begin, end, rounding * (end - begin) + resolution};
}

core::StepResult Fmi3Unit::finish_plain_step(const core::StepInterval& step, StepAnswer answer) {
    const bool close = std::fabs(answer.last - step.until) <= rounding * step.length;
    const bool special = answer.event || answer.terminate || answer.early;
    if (!special && close && answer.status <= Status::warning) {
        check("DoStep", answer.status);
        return {.reached = step.end};
    }
    return finish_step(goal_of(step.begin, step.end - step.begin), {answer, step.now});
}

core::StepResult Fmi3Unit::step(base::Time t, base::Duration h) {
    relay_.set_point(t);
    return step_with_events(goal_of(t, h));
}

/// A whole step has the length the master asked for, to the bit; only parts of one are differences of times.
Fmi3Unit::Attempt Fmi3Unit::attempt(const Goal& goal, double from) {
    relay_.set_time(from);
    const double to = next_stop(goal);
    const bool whole = from == goal.begin && to == goal.end;
    const double length = whole ? timebase_.seconds(goal.h) : to - from;
    Attempt a{{.last = to}, from};
    a.status = do_step_(instance_, from, length, no_restore_, &a.event, &a.terminate, &a.early, &a.last);
    return a;
}

double Fmi3Unit::next_stop(const Goal& goal) const {
    const bool inside = has_event_mode_ && next_event_time_ < goal.end - goal.slack;
    return inside && info().can.variable_step ? next_event_time_ : goal.end;
}

core::StepResult Fmi3Unit::step_with_events(const Goal& goal) {
    step_begin_ = goal.begin;
    if (discrete_changed_ || next_event_time_ <= goal.begin + goal.slack) {
        const bool terminate = handle_event(goal.begin);
        relay_.leave_time();
        if (terminate) return {.reached = goal.t, .event = true, .terminate = true};
        core::StepResult result = finish_step(goal, attempt(goal, goal.begin));
        result.event = true;
        return result;
    }
    return finish_step(goal, attempt(goal, goal.begin));
}

core::StepResult Fmi3Unit::finish_step(const Goal& goal, const Attempt& first) {
    const core::StepResult result = finish_parts(goal, first);
    relay_.leave_time();
    relay_.set_point(result.reached);
    return result;
}

core::StepResult Fmi3Unit::finish_parts(const Goal& goal, Attempt a) {
    core::StepResult result{.reached = goal.t + goal.h};
    for (int parts = 0; parts < most_event_rounds; ++parts) {
        if (watches_) watch_floating_point();
        if (a.status == Status::discard) return {.reached = timebase_.nearest(a.from), .discarded = true};
        check("DoStep", a.status);
        check("SetFloat64 in the intermediate update", intermediate_status_);
        if (!std::isfinite(a.last)) fail_with("early-return", "fmi3DoStep gave no number as lastSuccessfulTime");
        if (a.last < a.from - goal.slack)
            fail_with("early-return", fmt::format("fmi3DoStep went back: it returned at t = {}", a.last));
        if (a.last > goal.end + goal.slack) {
            remark_beyond(goal, a.last);
            a.last = goal.end;
        }
        relay_.set_time(a.last);
        const bool at_end = a.last >= goal.end - goal.slack;
        if (a.terminate) {
            result.reached = at_end ? result.reached : timebase_.nearest(a.last);
            result.terminate = true;
            return result;
        }
        const bool due = has_event_mode_ && (a.event || next_event_time_ <= a.last + goal.slack);
        if (at_end) {
            result.event |= due;
            result.wants_event_mode = due || clocks_.has_kept();
            return result;
        }
        if (due) {
            result.event = true;
            if (handle_event(a.last)) {
                result.reached = timebase_.nearest(a.last);
                result.terminate = true;
                return result;
            }
        } else if (a.last <= a.from) {
            fail_with("early-return", fmt::format("fmi3DoStep made no progress: it returned at t = {}", a.last));
        }
        a = attempt(goal, a.last);
    }
    fail_with("event-storm", fmt::format("more than {} events in the step from t = {} to t = {}", most_event_rounds,
                                         goal.begin, goal.end));
}

void Fmi3Unit::remark_beyond(const Goal& goal, double last) {
    if (noted_beyond_) return;
    noted_beyond_ = true;
    relay_.remark(base::Log::Level::warning,
                  fmt::format("fmi3DoStep says that it got to t = {}, beyond the end of its step at t = {}; taken as "
                              "that end",
                              last, goal.end));
}

/// Values of a clock belong to the instant of its tick, and outputs are read at communication points only.
void Fmi3Unit::remark_inner_ticks(double at) {
    const std::vector<core::Variable>& variables = info().variables;
    for (const std::uint32_t clock : clocks_.kept_ticks()) {
        const auto carried = std::ranges::find(clocked_outputs_, clock, &ClockedOutput::clock);
        if (carried == clocked_outputs_.end()) continue;
        relay_.warn("clock", variables[clock].name,
                    fmt::format("clock '{}' ticked inside a step, at t = {}: its tick is handed on at the end of the "
                                "step, what '{}' was then is lost; take a step that meets its ticks, or a clock that "
                                "tells its interval",
                                variables[clock].name, at, variables[carried->output].name));
        clocked_outputs_.clear();
        return;
    }
}

bool Fmi3Unit::handle_event(double at) {
    relay_.set_time(at);
    const auto read = [this](const core::Block& outputs) {
        check_transfer(outputs_, outputs_.read(instance_, {}, outputs));
    };
    inner_events_.before(at, read);
    enter_event();
    if (discrete_changed_) check_transfer(inputs_, inputs_.send_staged(instance_, {}));
    discrete_changed_ = false;
    for (int round = 0; round < most_event_rounds; ++round) {
        const core::EventUpdate update = update_discrete();
        check("GetClock or fmi3GetInterval", clocks_.keep(instance_, at));
        if (!clocked_outputs_.empty()) remark_inner_ticks(at);
        if (update.terminate) return true;
        if (update.again) continue;
        enter_step();
        inner_events_.after(read);
        return false;
    }
    fail_with("event-storm", fmt::format("the event at t = {} does not settle in {} updates", at, most_event_rounds));
}

void Fmi3Unit::enter_event() {
    if (mode_ == Mode::event) return;
    check("EnterEventMode", enter_event_mode_(instance_));
    mode_ = Mode::event;
}

void Fmi3Unit::activate(std::span<const std::uint32_t> input_clocks) {
    check("SetClock", clocks_.activate(instance_, input_clocks));
}

void Fmi3Unit::active(std::vector<std::uint32_t>& ticking) { check("GetClock", clocks_.active(instance_, ticking)); }

core::EventUpdate Fmi3Unit::update_discrete() {
    fmi3Boolean again = false;
    fmi3Boolean terminate = false;
    fmi3Boolean nominals = false;
    fmi3Boolean values = false;
    fmi3Boolean defined = false;
    double next = never;
    check("UpdateDiscreteStates",
          update_discrete_states_(instance_, &again, &terminate, &nominals, &values, &defined, &next));
    set_next_event_time(defined, next);
    return {.again = again, .terminate = terminate, .next_event_time = next_event_time()};
}

void Fmi3Unit::intervals(std::vector<core::ClockInterval>& changed) {
    check("GetInterval", clocks_.intervals(instance_, relay_.time(), changed));
}

void Fmi3Unit::enter_step() {
    check("EnterStepMode", enter_step_mode_(instance_));
    mode_ = Mode::step;
}

std::optional<double> Fmi3Unit::next_event_time() const {
    return next_event_time_ == never ? std::nullopt : std::optional(next_event_time_);
}

}  // namespace master::fmi
