#include "fmus/common/state/instance.hpp"

#include "fmus/common/declaring/facts.hpp"
#include "fmus/common/state/setup.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace fmus {

namespace {

std::string name_of(Mode mode) {
    switch (mode) {
        case Mode::instantiated:
            return "Instantiated";
        case Mode::configuration:
            return "Configuration Mode";
        case Mode::initialization:
            return "Initialization Mode";
        case Mode::event:
            return "Event Mode";
        case Mode::step:
            return "Step Mode";
        case Mode::continuous_time:
            return "Continuous-Time Mode";
        case Mode::intermediate_update:
            return "Intermediate Update Mode";
        case Mode::terminated:
            return "Terminated";
    }
    return "an unknown mode";
}

std::string names_of(Modes modes) {
    std::string text;
    for (unsigned bit = 1; bit <= static_cast<unsigned>(Mode::terminated); bit <<= 1) {
        if ((modes.bits & bit) == 0) continue;
        if (!text.empty()) text += ", ";
        text += name_of(static_cast<Mode>(bit));
    }
    return text;
}

}  // namespace

Instance::Instance() : setup_(std::make_unique<Setup>()) {}
Instance::~Instance() = default;

void Instance::set_logging(bool on) { setup_->logging = on; }
Interface Instance::interface() const { return setup_->interface; }
bool Instance::uses_event_mode() const { return setup_->event_mode; }

void Instance::start(Setup setup) {
    if (setup.interface == Interface::model_exchange && !build_facts().model_exchange)
        throw std::runtime_error("this unit is for co-simulation only");
    *setup_ = std::move(setup);
    for (const std::uint32_t reference : setup_->intermediate) {
        const Variable& variable = find(reference);
        if (variable.causality == Causality::input && !variable.is_continuous_input())
            throw std::runtime_error("'" + variable.name + "' cannot be updated inside a step");
        asks_inputs_ = asks_inputs_ || (variable.is_continuous_input() && setup_->ask_inputs != nullptr);
    }
    load_resources(setup_->resources);
    fresh_ = copy_model();
}

void Instance::report(Status status, const std::string& text) const {
    if (!setup_->log) return;
    if (status < Status::discard && !setup_->logging) return;
    setup_->log(status, status < Status::discard ? "logStatusWarning" : "logStatusError", text);
}

void Instance::require(Modes allowed) const {
    if (allowed.contain(kit_.mode)) return;
    throw std::runtime_error("called in " + name_of(kit_.mode) + ", allowed in " + names_of(allowed));
}

void Instance::require(Interface wanted) const {
    if (setup_->interface == wanted) return;
    throw std::runtime_error(wanted == Interface::co_simulation ? "the unit was instantiated for model exchange"
                                                                : "the unit was instantiated for co-simulation");
}

void Instance::enter_configuration() {
    if (std::none_of(variables().begin(), variables().end(),
                     [](const Variable& v) { return v.causality == Causality::structural_parameter; }))
        throw std::runtime_error("the unit has no structural parameters");
    kit_.mode = Mode::configuration;
}

void Instance::exit_configuration() {
    configure_model();
    for (const Variable& variable : variables())
        if (product_of_extents(variable) != variable.cells.count())
            throw std::runtime_error("the size of '" + variable.name + "' did not follow its dimensions");
    kit_.mode = Mode::instantiated;
    mark_changed();
}

void Instance::enter_initialization(double start) {
    if (!std::isfinite(start)) throw std::runtime_error("the start time is not a finite number");
    time_ = start;
    kit_.mode = Mode::initialization;
    mark_changed();
}

void Instance::exit_initialization() {
    refresh();
    prepare_step();
    const bool events_are_shared = interface() == Interface::model_exchange || uses_event_mode();
    kit_.mode = Mode::event;
    if (events_are_shared) return;
    static_cast<void>(handle_event());
    kit_.mode = Mode::step;
}

void Instance::enter_event() { kit_.mode = Mode::event; }

void Instance::enter_step() {
    refresh();
    kit_.mode = Mode::step;
}

void Instance::enter_continuous_time() { kit_.mode = Mode::continuous_time; }

void Instance::terminate() { kit_.mode = Mode::terminated; }

void Instance::reset() {
    restore_model(*fresh_);
    kit_ = {};
    time_ = 0;
    sloped_ = false;
}

EventUpdate Instance::update_discrete() {
    refresh();
    return handle_event();
}

EventUpdate Instance::handle_event() {
    EventUpdate update;
    update.states_changed = update_model(time_);
    silence_clocks();
    update.again = tick_model();
    evaluate();
    update.terminate = model_finished();
    update.next_event = next_event_of_model();
    kit_.has_next_event = update.next_event.has_value();
    kit_.next_event = update.next_event.value_or(0);
    return update;
}

/// A clock is active for one instant: the update of discrete states ends it (FMI 3.0, 2.2.10).
void Instance::silence_clocks() {
    for (const Variable& variable : variables())
        if (variable.type == Type::clock) *variable.cells.as<bool>() = false;
}

void Instance::refresh() {
    if (!kit_.stale) return;
    if (kit_.mode == Mode::initialization) initialize_model(time_);
    if ((Mode::initialization | Mode::event | Mode::continuous_time).contain(kit_.mode)) evaluate();
}

void Instance::evaluate() {
    evaluate_model(time_);
    kit_.stale = false;
}

const Variable& Instance::find(std::uint32_t reference) const {
    if (reference < variables().size()) return variables()[reference];
    throw std::runtime_error("unknown value reference " + std::to_string(reference) + ", known are 0 to " +
                             std::to_string(variables().size() - 1));
}

double& Instance::real(Element element) const {
    const Variable& variable = variables()[element.variable];
    if (variable.type != Type::float64) throw std::runtime_error("'" + variable.name + "' is no 64-bit real");
    return variable.cells.as<double>()[element.index];
}

void Instance::require_settable(const Variable& variable) const {
    const bool is_input = variable.causality == Causality::input;
    const bool tunable = variable.causality == Causality::parameter && variable.variability == Variability::tunable;
    const bool structural = variable.causality == Causality::structural_parameter;
    const bool start = variable.variability != Variability::constant &&
                       (variable.initial == Initial::exact || variable.initial == Initial::approx);
    bool allowed = false;
    switch (kit_.mode) {
        case Mode::configuration:
            allowed = structural;
            break;
        case Mode::instantiated:
            allowed = is_input || (start && !structural);
            break;
        case Mode::initialization:
            allowed = is_input || (variable.initial == Initial::exact && start && !structural);
            break;
        case Mode::event:
        case Mode::step:
            allowed = is_input || tunable;
            break;
        case Mode::continuous_time:
        case Mode::intermediate_update:
            allowed = is_input && variable.variability == Variability::continuous;
            break;
        case Mode::terminated:
            break;
    }
    if (!allowed) throw std::runtime_error("'" + variable.name + "' cannot be set in " + name_of(kit_.mode));
}

}  // namespace fmus
