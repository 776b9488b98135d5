#include "master/fmi/unit/fmi2_unit.hpp"

#include "master/fmi/unit/callbacks.hpp"

#include <chrono>
#include <fmt/format.h>
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
}

/// FMI 2.0.4, 4.2.1: the derivatives hold for one step only.
void Fmi2Unit::set_input_derivatives() {
    if (!set_derivatives_) {
        set_derivatives_ = library().require<fmi2SetRealInputDerivativesTYPE>("SetRealInputDerivatives");
    }
    check("SetRealInputDerivatives", set_derivatives_(instance_, sloped_.references().data(), first_order_.size(),
                                                      first_order_.data(), sloped_.slopes().data()));
}

core::StepResult Fmi2Unit::finish_plain_step(const core::StepInterval& step, StepAnswer answer) {
    return finish_step(step.begin, step.end - step.begin, answer.status);
}

core::StepResult Fmi2Unit::step(base::Time t, base::Duration h) {
    relay_.set_point(t);
    if (derivatives_used_) set_input_derivatives();
    const int status = do_step_(instance_, timebase_.seconds(t), timebase_.seconds(h), no_restore_);
    return finish_step(t, h, status);
}

core::StepResult Fmi2Unit::finish_step(base::Time t, base::Duration h, int status) {
    if (status == Status::pending) status = wait_while_pending();
    if (watches_) watch_floating_point();
    if (status == Status::discard) return discarded(t, h);
    check("DoStep", status);
    relay_.set_point(t + h);
    return {.reached = t + h};
}

int Fmi2Unit::wait_while_pending() {
    const auto ask = reinterpret_cast<fmi2GetStatusTYPE*>(library().require<fmi2GetStatusTYPE>("GetStatus").plain());
    // The step is under way as long as it is pending: to whoever watches, asking is no progress.
    const base::ReadingAnswer step(Calls2::do_step_number, instance_);
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
core::StepResult Fmi2Unit::discarded(base::Time t, base::Duration h) {
    double reached = timebase_.seconds(t);
    if (const auto ask = library().find<fmi2GetRealStatusTYPE>("GetRealStatus")) {
        double answer = reached;
        if (ask(instance_, fmi2LastSuccessfulTime, &answer) <= fmi2Warning) reached = answer;
    }
    const double begin = timebase_.seconds(t), end = timebase_.seconds(t + h);
    if (!(reached >= begin && reached <= end)) {
        const double told = reached;
        reached = told > end ? end : begin;
        relay_.remark(base::Log::Level::warning,
                      fmt::format("the FMU says that it got to t = {} in the step from {} to {} that it refused; taken "
                                  "as t = {}",
                                  told, begin, end, reached));
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
