#include "master/fmi/unit/fmu_unit.hpp"

#include "master/base/error.hpp"
#include "master/fmi/description/array_sizes.hpp"
#include "master/fmi/library/resource_location.hpp"

#include <array>
#include <cmath>

namespace master::fmi {
namespace {

std::string_view status_name(int status) {
    constexpr std::array<std::string_view, 6> names{"ok", "warning", "discard", "error", "fatal", "pending"};
    const bool known = status >= 0 && static_cast<std::size_t>(status) < names.size();
    return known ? names[static_cast<std::size_t>(status)] : "an unknown status";
}

}  // namespace

/// A state inside the FMU; freed through the unit that made it, which must outlive it.
template <class Calls>
class FmuUnit<Calls>::State final : public core::Snapshot {
public:
    using Value = typename Calls::State;

    explicit State(FmuUnit& unit) : mode(unit.mode_), next_event_time(unit.next_event_time_), unit_(unit) {}
    ~State() override {
        if (value == nullptr || unit_.dead_) return;
        const std::string name = "Free" + std::string(Calls::state);
        if (const auto free = unit_.library_.template find<Result(Instance, Value*)>(name))
            free(unit_.instance_, &value);
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    Value value = nullptr;
    Mode mode;
    double next_event_time;

private:
    FmuUnit& unit_;
};

template <class Calls>
FmuUnit<Calls>::FmuUnit(const UnitContext& context)
    : timebase_(context.timebase),
      relay_(context.name, context.description, context.timebase, context.log),
      inputs_(Direction::to_fmu, context.description, context.library, relay_),
      outputs_(Direction::from_fmu, context.description, context.library, relay_),
      takes_slope_(context.description.info.variables.size(), false),
      event_only_(context.description.info.variables.size(), false),
      description_(&context.description),
      library_(context.library),
      folder_(context.folder) {
    for (const char* name : {"FreeInstance", "EnterInitializationMode", "ExitInitializationMode", "Terminate"}) {
        static_cast<void>(library_.require(name));
    }
    relay_.calls_go_to(relay_.unit().c_str(), library_);  // until there is an instance: the first argument then
}

template <class Calls>
FmuUnit<Calls>::~FmuUnit() {
    if (instance_ == nullptr || dead_) return;
    if (const auto free = library_.template find<void(Instance)>("FreeInstance")) free(instance_);
}

template <class Calls>
void FmuUnit<Calls>::adopted(ProcessState& process) {
    const std::string changed = process.restore();
    relay_.calls_go_to(instance_, library_);
    if (instance_ == nullptr) {
        throw base::Error("instantiate", "unit '" + relay_.unit() + "'",
                          std::string(Calls::prefix) + "Instantiate failed for '" + library_.file().string() + "' (" +
                              (Calls::version == Version::fmi2 ? "GUID" : "instantiation token") + " '" +
                              description_->info.token + "')" + last_message());
    }
    limit_log();
    if (changed.empty()) return;
    relay_.remark(base::Log::Level::warning, "the FMU changed " + changed + " while it was instantiated; put back");
    noted_floating_point_ = process.floating_point_changed();
}

/// Debug messages of every call would cost more than the calls.
template <class Calls>
void FmuUnit<Calls>::limit_log() {
    const std::vector<const char*> categories = relay_.categories();
    using Set =
        typename Calls::Result(typename Calls::Instance, typename Calls::Boolean, std::size_t, const char* const*);
    const auto set = library_.template find<Set>("SetDebugLogging");
    if (set && !categories.empty()) set(instance_, true, categories.size(), categories.data());
}

template <class Calls>
std::string FmuUnit<Calls>::resources() const {
    return resource_location(folder_, Calls::version);
}

template <class Calls>
void FmuUnit<Calls>::configure(const core::Values& structural) {
    if (structural.empty()) return;
    if constexpr (Calls::version == Version::fmi2) {
        throw base::Error("structural-parameter", "unit '" + relay_.unit() + "'",
                          "FMI 2 has no structural parameters, but '" +
                              description_->info.variables[structural.front().variable].name + "' is set as one");
    } else {
        for (const core::Assignment& assignment : structural) {
            const core::Variable& variable = description_->info.variables[assignment.variable];
            if (variable.causality == core::Causality::structural_parameter) continue;
            throw base::Error("structural-parameter", "unit '" + relay_.unit() + "'",
                              "'" + variable.name + "' is no structural parameter");
        }
        check("EnterConfigurationMode",
              library_.template require<fmi3EnterConfigurationModeTYPE>("EnterConfigurationMode")(instance_));
        set_values(structural);
        check("ExitConfigurationMode",
              library_.template require<fmi3ExitConfigurationModeTYPE>("ExitConfigurationMode")(instance_));
        configured_ = *description_;
        resize_arrays(*configured_, structural);
        description_ = &*configured_;
        inputs_.use(*description_);
        outputs_.use(*description_);
    }
}

template <class Calls>
void FmuUnit<Calls>::bind(const core::Ports& ports) {
    inputs_.bind(core::layout(info(), ports.inputs), event_only_);
    outputs_.bind(core::layout(info(), ports.outputs), {});
    sloped_.bind(inputs_.layout(), *description_, library_, takes_slope_);
    plain_write_ = sloped_.empty() && !inputs_.has_event_only({});
}

template <class Calls>
void FmuUnit<Calls>::offer_fast_path(core::FastPath& path, base::Time& visible) {
    const AnyFunction advance = plain_step();
    if (advance == nullptr) return;
    relay_.follow(visible);
    path.unit = this;
    path.instance = instance_;
    path.step = &FmuUnit::step_plainly;
    path.advance = advance;
    if (const auto reals = inputs_.only_reals(); plain_write_ && reals.call != nullptr) {
        path.write = &FmuUnit::write_reals;
        path.set = reals.call;
        path.input_references = reals.references;
        path.input_reference_count = static_cast<std::uint32_t>(reals.reference_count);
        path.input_count = static_cast<std::uint32_t>(reals.element_count);
    }
    if (const auto reals = outputs_.only_reals(); !reads_refreshed_ && reals.call != nullptr) {
        path.read = &FmuUnit::read_reals;
        path.get = reals.call;
        path.output_references = reals.references;
        path.output_reference_count = static_cast<std::uint32_t>(reals.reference_count);
        path.output_count = static_cast<std::uint32_t>(reals.element_count);
    }
    if (path.write != nullptr && path.read != nullptr) path.exchange_and_step = &FmuUnit::exchange_and_step;
}

template <class Calls>
void FmuUnit<Calls>::update_fast_path(core::FastPath& path) const {
    path.plain_until = watches_ ? -never : plain_until();
    path.no_restore = no_restore_;
    if (outputs_.left_out().empty()) return;
    path.read = nullptr;  // its one call would ask for what the unit does not give
    path.exchange_and_step = nullptr;
}

template <class Calls>
void FmuUnit<Calls>::write_reals(const core::FastPath& path) {
    base::CallSlot& slot = *base::call_slot;
    slot.call.object = path.instance;
    set_reals(path, slot);
    slot.call.function = 0;
}

template <class Calls>
inline void FmuUnit<Calls>::set_reals(const core::FastPath& path, base::CallSlot& slot) {
    slot.call.function = Calls::set_reals;
    const int status = Calls::set_plainly(path.set, path.instance, path.input_references, path.input_reference_count,
                                          path.inputs, path.input_count);
    if (status == Status::ok) [[likely]]
        return;
    slot.call.function = 0;
    auto& unit = static_cast<FmuUnit&>(*path.unit);
    unit.look_closer_at_reals(unit.inputs_, status);
}

template <class Calls>
bool FmuUnit<Calls>::step_plainly(const core::FastPath& path, const core::StepInterval& step,
                                  core::StepResult& result) {
    base::CallSlot& slot = *base::call_slot;
    slot.call.object = path.instance;
    const bool plain = do_step(path, step, result, slot);
    slot.call.function = 0;
    return plain;
}

template <class Calls>
inline bool FmuUnit<Calls>::do_step(const core::FastPath& path, const core::StepInterval& step,
                                    core::StepResult& result, base::CallSlot& slot) {
    StepAnswer answer;
    slot.call.function = Calls::do_step_number;
    if (Calls::step_plainly(path.advance, path.instance, step, path.no_restore, answer)) [[likely]]
        return true;
    slot.call.function = 0;
    return finish_step_of(path, step, answer, result);
}

template <class Calls>
bool FmuUnit<Calls>::finish_step_of(const core::FastPath& path, const core::StepInterval& step, StepAnswer answer,
                                    core::StepResult& result) {
    result = static_cast<FmuUnit&>(*path.unit).finish_plain_step(step, answer);
    return false;
}

template <class Calls>
void FmuUnit<Calls>::read_reals(const core::FastPath& path) {
    base::CallSlot& slot = *base::call_slot;
    slot.call.object = path.instance;
    get_reals(path, slot);
    slot.call.function = 0;
}

template <class Calls>
inline void FmuUnit<Calls>::get_reals(const core::FastPath& path, base::CallSlot& slot) {
    slot.call.function = Calls::get_reals;
    const int status = Calls::get_plainly(path.get, path.instance, path.output_references, path.output_reference_count,
                                          path.outputs, path.output_count);
    if (status == Status::ok) [[likely]]
        return;
    slot.call.function = 0;
    auto& unit = static_cast<FmuUnit&>(*path.unit);
    unit.look_closer_at_reals(unit.outputs_, status);
}

template <class Calls>
bool FmuUnit<Calls>::exchange_and_step(const core::FastPath& path, const core::StepInterval& step, base::Time& visible,
                                       core::StepResult& result) {
    base::CallSlot& slot = *base::call_slot;
    slot.call.object = path.instance;
    set_reals(path, slot);
    if (!do_step(path, step, result, slot)) [[unlikely]]
        return false;
    core::show(visible, step.end);
    get_reals(path, slot);
    slot.call.function = 0;
    return true;
}

template <class Calls>
core::StepResult FmuUnit<Calls>::finish_plain_step(const core::StepInterval& step, StepAnswer answer) {
    check("DoStep", answer.status);
    return {.reached = step.end};
}

template <class Calls>
void FmuUnit<Calls>::write(core::Group group, const core::ConstBlock& inputs) {
    if (!plain_write_) return write_special(group, inputs);
    check_transfer(inputs_, inputs_.write(instance_, group, inputs));
}

template <class Calls>
void FmuUnit<Calls>::read(core::Group group, const core::Block& outputs) {
    if (reads_refreshed_) refresh();
    check_transfer(outputs_, outputs_.read(instance_, group, outputs));
}

/// FMI 2.0.4 and 3.0.2, "initial": before initialisation only inputs, parameters and exact or approximate start values
/// may be set.
template <class Calls>
void FmuUnit<Calls>::require_settable(std::uint32_t index) const {
    const core::Variable& variable = info().variables[index];
    const char* reason = nullptr;
    if (variable.variability == core::Variability::constant) reason = "it is constant";
    if (variable.causality == core::Causality::independent) reason = "it is the independent variable";
    if (variable.causality == core::Causality::calculated_parameter) reason = "it is a calculated parameter";
    if (variable.initial == core::Initial::calculated) reason = "its initial value is calculated by the unit";
    if (reason == nullptr) return;
    throw base::Error("start-value", "unit '" + relay_.unit() + "'",
                      "'" + variable.name + "' must not be given a start value: " + reason);
}

template <class Calls>
void FmuUnit<Calls>::set_start(const core::Values& values) {
    for (const core::Assignment& assignment : values) require_settable(assignment.variable);
    set_values(values);
}

template <class Calls>
void FmuUnit<Calls>::set_values(const core::Values& values) {
    for (const core::Assignment& assignment : values) {
        const int status = inputs_.set_value(instance_, assignment.variable, assignment.value);
        if (status != Status::ok) look_closer(inputs_.describe(assignment.variable), status);
    }
}

template <class Calls>
void FmuUnit<Calls>::set_up(const core::RunWindow& run) {
    relay_.set_point(run.start);
    window_ = run;
    if (!window_.tolerance) window_.tolerance = info().experiment.tolerance;
    if (window_.tolerance) *window_.tolerance *= window_.solver_factor;
    if constexpr (Calls::version == Version::fmi2) {
        const auto setup = library_.template require<fmi2SetupExperimentTYPE>("SetupExperiment");
        const auto& [start, stop, tolerance, solver_factor] = window_;
        check("SetupExperiment",
              setup(instance_, tolerance ? fmi2True : fmi2False, tolerance.value_or(0), timebase_.seconds(start),
                    stop ? fmi2True : fmi2False, stop ? timebase_.seconds(*stop) : 0));
    }
}

template <class Calls>
void FmuUnit<Calls>::enter_initialization() {
    if constexpr (Calls::version == Version::fmi2) {
        check("EnterInitializationMode",
              library_.template require<fmi2EnterInitializationModeTYPE>("EnterInitializationMode")(instance_));
    } else {
        const auto enter = library_.template require<fmi3EnterInitializationModeTYPE>("EnterInitializationMode");
        const auto& [start, stop, tolerance, solver_factor] = window_;
        check("EnterInitializationMode",
              enter(instance_, tolerance.has_value(), tolerance.value_or(0), timebase_.seconds(start), stop.has_value(),
                    stop ? timebase_.seconds(*stop) : 0));
    }
    mode_ = Mode::initialization;
}

template <class Calls>
std::optional<core::Value> FmuUnit<Calls>::value_of(std::uint32_t variable) {
    return outputs_.value_of(instance_, variable);
}

template <class Calls>
void FmuUnit<Calls>::write_one(std::size_t input, const core::ConstBlock& inputs) {
    const int status = inputs_.write_one(instance_, input, inputs);
    if (status != Status::ok) look_closer(inputs_.describe(inputs_.layout().slots[input].variable), status);
}

template <class Calls>
void FmuUnit<Calls>::read_one(std::size_t output, const core::Block& outputs) {
    const int status = outputs_.read_one(instance_, output, outputs);
    if (status == Status::ok || outputs_.can_leave_out(output, status)) return;
    look_closer(outputs_.describe(outputs_.layout().slots[output].variable), status);
}

template <class Calls>
void FmuUnit<Calls>::exit_initialization() {
    check("ExitInitializationMode", library_.template require<Result(Instance)>("ExitInitializationMode")(instance_));
    mode_ = Mode::step;
}

template <class Calls>
std::unique_ptr<core::Snapshot> FmuUnit<Calls>::save() {
    if (!info().can.save_state) fail_with("state", "the FMU cannot save its state");
    auto snapshot = std::make_unique<State>(*this);
    const std::string name = "Get" + std::string(Calls::state);
    check(name, library_.template require<Result(Instance, typename Calls::State*)>(name)(instance_, &snapshot->value));
    no_restore_ = false;
    return snapshot;
}

template <class Calls>
void FmuUnit<Calls>::restore(const core::Snapshot& snapshot) {
    const auto& state = dynamic_cast<const State&>(snapshot);
    const std::string name = "Set" + std::string(Calls::state);
    check(name, library_.template require<Result(Instance, typename Calls::State)>(name)(instance_, state.value));
    mode_ = state.mode;
    next_event_time_ = state.next_event_time;
    restored();
}

template <class Calls>
void FmuUnit<Calls>::terminate() {
    int status = Status::ok;
    if (instance_ != nullptr && !failed_ && (mode_ == Mode::step || mode_ == Mode::event))
        if (const auto end = library_.template find<Result(Instance)>("Terminate")) status = end(instance_);
    mode_ = Mode::instantiated;
    relay_.finish();
    if (status == Status::warning)
        relay_.remark(base::Log::Level::warning,
                      std::string(Calls::prefix) + "Terminate returned warning" + last_message());
    else if (status != Status::ok)
        fail("Terminate", status);
}

template <class Calls>
std::string FmuUnit<Calls>::last_message() const {
    const std::string last = relay_.last();
    return last.empty() ? std::string{} : "; its last message: " + last;
}

template <class Calls>
std::vector<std::pair<std::string, std::uint64_t>> FmuUnit<Calls>::statistics() const {
    if (outputs_.buffer_growths() == 0) return {};
    return {{"binary buffer growths", outputs_.buffer_growths()}};
}

template <class Calls>
void FmuUnit<Calls>::look_closer(std::string_view function, int status) {
    if (status != Status::warning) fail(function, status);
    relay_.warned_by(function.starts_with(Calls::prefix) ? std::string(function)
                                                         : std::string(Calls::prefix) + std::string(function));
}

template <class Calls>
void FmuUnit<Calls>::fail(std::string_view function, int status) {
    failed_ = true;
    dead_ = status == Status::fatal;
    const bool has_prefix = function.starts_with(Calls::prefix);
    // Before it starts a unit refuses the values that it was given.
    const bool sets = function.find("Set") != std::string_view::npos && function != "SetupExperiment";
    const bool refuses_value = sets && (mode_ == Mode::instantiated || mode_ == Mode::initialization);
    throw base::Error("fmu-error", relay_.where(),
                      (has_prefix ? std::string{} : std::string(Calls::prefix)) + std::string(function) + " returned " +
                          std::string(status_name(status)) + last_message(),
                      refuses_value && !dead_ ? base::Exit::bad_input : base::Exit::failed);
}

template <class Calls>
void FmuUnit<Calls>::fail(const Exchange<Calls>& exchange, const Transfer<Calls>& transfer) {
    fail(exchange.describe(transfer), exchange.status());
}

template <class Calls>
void FmuUnit<Calls>::look_closer_at_reals(Exchange<Calls>& exchange, int status) {
    look_closer(exchange.describe_first(), status);
}

template <class Calls>
void FmuUnit<Calls>::fail_with(std::string code, const std::string& text) {
    failed_ = true;
    throw base::Error(std::move(code), relay_.where(), text + last_message(), base::Exit::failed);
}

template <class Calls>
void FmuUnit<Calls>::set_next_event_time(bool defined, double t) {
    if (defined && std::isnan(t)) fail_with("nan", "the time of its next event (nextEventTime) is not a number");
    next_event_time_ = never;
    if (defined) next_event_time_ = t;
}

template <class Calls>
void FmuUnit<Calls>::watch_floating_point() {
    const bool changed = floating_point_.restore();
    watches_ = changed || noted_floating_point_;
    if (!changed || noted_floating_point_) return;
    noted_floating_point_ = true;
    relay_.remark(base::Log::Level::warning,
                  "the FMU changed the floating-point environment in a step; put back, as after every later step");
}

template class FmuUnit<Calls2>;
template class FmuUnit<Calls3>;

}  // namespace master::fmi
