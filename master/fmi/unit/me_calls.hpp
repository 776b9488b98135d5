#pragma once

#include "master/fmi/unit/calls.hpp"

#include <type_traits>

namespace master::fmi {

/// What a unit says after its discrete states were updated.
struct DiscreteUpdate {
    bool again = false, terminate = false, nominals_changed = false, states_changed = false, has_next = false;
    double next_event_time = 0;
};

/// What a unit says after an integrator step was accepted.
struct CompletedStep {
    bool enter_event_mode = false, terminate = false;
};

/// The calls of model exchange, looked up once; every function returns a status.
template <class Calls>
struct ModelExchangeCalls {
    using Instance = typename Calls::Instance;
    using Result = typename Calls::Result;
    using Boolean = typename Calls::Boolean;

    explicit ModelExchangeCalls(const Library& library)
        : set_time(library.require<Result(Instance, double)>("SetTime")),
          set_states(library.require<Result(Instance, const double*, std::size_t)>("SetContinuousStates")),
          get_states(library.require<Get>("GetContinuousStates")),
          get_derivatives(library.require<Get>(derivatives_name)),
          get_indicators(library.require<Get>("GetEventIndicators")),
          get_nominals(library.require<Get>("GetNominalsOfContinuousStates")),
          enter_event_mode(library.require<Result(Instance)>("EnterEventMode")),
          enter_continuous_time_mode(library.require<Result(Instance)>("EnterContinuousTimeMode")),
          completed_(library.require<Completed>("CompletedIntegratorStep")),
          update_(library.require<Update>(update_name)) {}

    static constexpr bool is2 = Calls::version == Version::fmi2;
    static constexpr const char* derivatives_name = is2 ? "GetDerivatives" : "GetContinuousStateDerivatives";
    static constexpr const char* update_name = is2 ? "NewDiscreteStates" : "UpdateDiscreteStates";

    [[nodiscard]] int completed_step(Instance instance, bool no_restore, CompletedStep& result) const {
        Boolean enter{};
        Boolean terminate{};
        const int status = completed_(instance, no_restore, &enter, &terminate);
        result = {enter != Boolean{}, terminate != Boolean{}};
        return status;
    }

    [[nodiscard]] int update_discrete(Instance instance, DiscreteUpdate& result) const {
        if constexpr (is2) {
            fmi2EventInfo info{};
            const int status = update_(instance, &info);
            result = {info.newDiscreteStatesNeeded != 0,
                      info.terminateSimulation != 0,
                      info.nominalsOfContinuousStatesChanged != 0,
                      info.valuesOfContinuousStatesChanged != 0,
                      info.nextEventTimeDefined != 0,
                      info.nextEventTime};
            return status;
        } else {
            return update_(instance, &result.again, &result.terminate, &result.nominals_changed, &result.states_changed,
                           &result.has_next, &result.next_event_time);
        }
    }

private:
    using Get = Result(Instance, double*, std::size_t);
    using Completed = Result(Instance, Boolean, Boolean*, Boolean*);
    using Update = std::conditional_t<is2, fmi2NewDiscreteStatesTYPE, fmi3UpdateDiscreteStatesTYPE>;

public:
    Function<Result(Instance, double)> set_time;
    Function<Result(Instance, const double*, std::size_t)> set_states;
    Function<Get> get_states, get_derivatives, get_indicators, get_nominals;
    Function<Result(Instance)> enter_event_mode, enter_continuous_time_mode;

private:
    Function<Completed> completed_;
    Function<Update> update_;
};

}  // namespace master::fmi
