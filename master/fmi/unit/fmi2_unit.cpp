#include "master/fmi/unit/fmi2_unit.hpp"

#include "master/fmi/unit/callbacks.hpp"

#include <chrono>
#include <thread>

namespace master::fmi {

Fmi2Unit::Fmi2Unit(const UnitContext& context)
    : FmuUnit(context), do_step_(library().require<fmi2DoStepTYPE>("DoStep")), callbacks_(callbacks_for(relay_)) {
    const bool interpolates = context.description.co_simulation->can.interpolates_inputs;
    for (std::size_t i = 0; i < takes_slope_.size(); ++i) {
        const core::Variable& variable = info().variables[i];
        takes_slope_[i] = interpolates && variable.type == core::Type::real &&
                          variable.causality == core::Causality::input &&
                          variable.variability == core::Variability::continuous;
    }
    const auto instantiate = library().require<fmi2InstantiateTYPE>("Instantiate");
    const std::string uri = resources();
    adopt([&](bool logging) {
        return instantiate(relay_.unit().c_str(), fmi2CoSimulation, info().token.c_str(), uri.c_str(), &callbacks_,
                           fmi2False, logging ? fmi2True : fmi2False);
    });
}

void Fmi2Unit::bind(const core::Ports& ports) {
    FmuUnit::bind(ports);
    first_order_.assign(sloped_.references().size(), 1);
}

void Fmi2Unit::write_special(core::Group group, const core::ConstBlock& inputs) {
    check_transfer(inputs_, inputs_.write(instance_, group, inputs));
    if (inputs.slopes == nullptr && !derivatives_used_) return;
    sloped_.take(inputs);
    derivatives_used_ = true;
    pay_attention();
}

/// FMI 2.0.4, 4.2.1: the derivatives hold for one step only.
void Fmi2Unit::set_input_derivatives() {
    if (set_derivatives_ == nullptr) {
        set_derivatives_ = library().require<fmi2SetRealInputDerivativesTYPE>("SetRealInputDerivatives");
    }
    check("SetRealInputDerivatives", set_derivatives_(instance_, sloped_.references().data(), first_order_.size(),
                                                      first_order_.data(), sloped_.slopes().data()));
}

void Fmi2Unit::shorten(core::Quick& quick, base::Time& visible) {
    shorten_exchange(quick);
    relay_.follow(visible);
    quick.step = &Fmi2Unit::step_quickly;
    if (quick.write != nullptr && quick.read != nullptr) quick.whole = &Fmi2Unit::go_quickly;
    quick.advance = reinterpret_cast<core::Quick::Function>(do_step_);
}

bool Fmi2Unit::go_quickly(const core::Quick& quick, const core::Stretch& stretch, base::Time& visible,
                          core::StepResult& result) {
    write_quickly(quick);
    if (!step_quickly(quick, stretch, result)) [[unlikely]]
        return false;
    core::show(visible, stretch.end);
    read_quickly(quick);
    return true;
}

inline bool Fmi2Unit::step_quickly(const core::Quick& quick, const core::Stretch& stretch, core::StepResult& result) {
    const int status =
        reinterpret_cast<fmi2DoStepTYPE*>(quick.advance)(quick.instance, stretch.now, stretch.length, quick.no_restore);
    if (status <= Status::warning) [[likely]]
        return true;
    result = static_cast<Fmi2Unit&>(*quick.unit).finish_step(stretch.begin, stretch.end - stretch.begin, status);
    return false;
}

void Fmi2Unit::pay_attention() {
    if (quick_ != nullptr) quick_->attention = watches_ || derivatives_used_ ? -never : never;
}

core::StepResult Fmi2Unit::step(base::Time t, base::Duration h) {
    relay_.set_point(t);
    if (derivatives_used_) set_input_derivatives();
    const int status = do_step_(instance_, timebase_.seconds(t), timebase_.seconds(h), no_restore_);
    const core::StepResult result = finish_step(t, h, status);
    pay_attention();
    return result;
}

core::StepResult Fmi2Unit::finish_step(base::Time t, base::Duration h, int status) {
    if (status == Status::pending) status = wait_while_pending();
    if (watches_) watch_floating_point();
    if (status == Status::discard) return discarded(t);
    check("DoStep", status);
    relay_.set_point(t + h);
    return {.reached = t + h};
}

int Fmi2Unit::wait_while_pending() {
    const auto ask = library().require<fmi2GetStatusTYPE>("GetStatus");
    constexpr auto patience = std::chrono::seconds(60);
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (std::chrono::steady_clock::now() < deadline) {
        fmi2Status status = fmi2Pending;
        check("GetStatus", ask(instance_, fmi2DoStepStatus, &status));
        if (status != fmi2Pending) return status;
        std::this_thread::yield();
    }
    fail_with("pending", "fmi2DoStep is still pending after 60 s");
}

/// FMI 2.0.4, 4.2.2: the unit stopped at the last successful time, perhaps because it wants to end the simulation.
core::StepResult Fmi2Unit::discarded(base::Time t) {
    double reached = timebase_.seconds(t);
    if (const auto ask = library().find<fmi2GetRealStatusTYPE>("GetRealStatus")) {
        double answer = reached;
        if (ask(instance_, fmi2LastSuccessfulTime, &answer) <= fmi2Warning) reached = answer;
    }
    fmi2Boolean terminated = fmi2False;
    if (const auto ask = library().find<fmi2GetBooleanStatusTYPE>("GetBooleanStatus")) {
        fmi2Boolean answer = fmi2False;
        if (ask(instance_, fmi2Terminated, &answer) <= fmi2Warning) terminated = answer;
    }
    return {.reached = timebase_.nearest(reached),
            .discarded = terminated == fmi2False,
            .terminate = terminated != fmi2False};
}

}  // namespace master::fmi
