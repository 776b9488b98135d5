// The FMI 3.0 entry points of a unit: life cycle, stepping, states. Values are in fmi3_values.cpp.
#include "fmus/common/description/description.hpp"
#include "fmus/common/fmi3/fmi3_layer.hpp"
#include "fmus/common/state/setup.hpp"

#include <algorithm>
#include <stdexcept>

namespace {

using namespace fmus;
using namespace fmus::fmi3;

/// What an importer passes to every kind of instantiation.
struct Request {
    fmi3String token, resources;
    fmi3Boolean logging;
    fmi3InstanceEnvironment environment;
    fmi3LogMessageCallback log;
};

fmi3Instance instantiate(const Request& request, Setup setup, fmi3IntermediateUpdateCallback intermediate_update) {
    const auto log = [request](Status status, const char* category, const std::string& text) {
        if (request.log != nullptr)
            request.log(request.environment, static_cast<fmi3Status>(status), category, text.c_str());
    };
    try {
        setup.resources = request.resources == nullptr ? "" : request.resources;
        if (!setup.resources.empty() && !setup.resources.ends_with('/')) setup.resources += '/';
        std::unique_ptr<Instance> instance = create();
        instance->declare(setup.resources);
        instance->finish();
        if (request.token == nullptr || fmi3_token(*instance) != request.token)
            throw std::runtime_error("the instantiation token is not " + fmi3_token(*instance) +
                                     ": model description and library do not belong together");
        setup.logging = request.logging;
        setup.log = log;
        if (intermediate_update != nullptr)
            setup.ask_inputs = [request, intermediate_update](double t) {
                fmi3Boolean early_return = false;
                fmi3Float64 early_return_time = t;
                intermediate_update(request.environment, t, true, false, false, false, &early_return,
                                    &early_return_time);
            };
        instance->start(std::move(setup));
        return instance.release();
    } catch (const std::exception& problem) {
        log(Status::error, "logStatusError", std::string("instantiation refused: ") + problem.what());
        return nullptr;
    }
}

std::vector<Element> elements_of(const Instance& instance, const fmi3ValueReference references[], size_t count) {
    std::vector<Element> elements;
    for (size_t i = 0; i < count; ++i) {
        const Variable& variable = instance.find(references[i]);
        for (size_t k = 0; k < variable.cells.count(); ++k) elements.push_back({references[i], k});
    }
    return elements;
}

fmi3Status refuse(fmi3Instance handle, const char* function, const char* why) {
    return call(handle, {function}, [&](Instance&) { throw std::runtime_error(why); });
}

}  // namespace

FMI3_EXPORT const char* fmi3GetVersion() { return "3.0"; }

FMI3_EXPORT fmi3Status fmi3SetDebugLogging(fmi3Instance handle, fmi3Boolean on, size_t, const fmi3String[]) {
    return call(handle, {"fmi3SetDebugLogging"}, [&](Instance& instance) { instance.set_logging(on); });
}

FMI3_EXPORT fmi3Instance fmi3InstantiateCoSimulation(fmi3String, fmi3String token, fmi3String resources, fmi3Boolean,
                                                     fmi3Boolean logging, fmi3Boolean event_mode_used,
                                                     fmi3Boolean early_return_allowed,
                                                     const fmi3ValueReference intermediate[], size_t count,
                                                     fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                                     fmi3IntermediateUpdateCallback intermediate_update) {
    Setup setup;
    setup.event_mode = event_mode_used;
    setup.early_return = early_return_allowed;
    if (intermediate != nullptr) setup.intermediate.assign(intermediate, intermediate + count);
    return instantiate({token, resources, logging, environment, log}, std::move(setup), intermediate_update);
}

FMI3_EXPORT fmi3Instance fmi3InstantiateModelExchange(fmi3String, fmi3String token, fmi3String resources, fmi3Boolean,
                                                      fmi3Boolean logging, fmi3InstanceEnvironment environment,
                                                      fmi3LogMessageCallback log) {
    Setup setup;
    setup.interface = Interface::model_exchange;
    return instantiate({token, resources, logging, environment, log}, std::move(setup), nullptr);
}

FMI3_EXPORT fmi3Instance fmi3InstantiateScheduledExecution(fmi3String, fmi3String, fmi3String, fmi3Boolean, fmi3Boolean,
                                                           fmi3InstanceEnvironment environment,
                                                           fmi3LogMessageCallback log, fmi3ClockUpdateCallback,
                                                           fmi3LockPreemptionCallback, fmi3UnlockPreemptionCallback) {
    if (log != nullptr) log(environment, fmi3Error, "logStatusError", "the unit offers no scheduled execution");
    return nullptr;
}

FMI3_EXPORT void fmi3FreeInstance(fmi3Instance handle) {
    const std::unique_ptr<Instance> owned(static_cast<Instance*>(handle));
}

FMI3_EXPORT fmi3Status fmi3EnterConfigurationMode(fmi3Instance handle) {
    return call(handle, {"fmi3EnterConfigurationMode", Mode::instantiated}, &Instance::enter_configuration);
}

FMI3_EXPORT fmi3Status fmi3ExitConfigurationMode(fmi3Instance handle) {
    return call(handle, {"fmi3ExitConfigurationMode", Mode::configuration}, &Instance::exit_configuration);
}

FMI3_EXPORT fmi3Status fmi3EnterInitializationMode(fmi3Instance handle, fmi3Boolean, fmi3Float64, fmi3Float64 start,
                                                   fmi3Boolean, fmi3Float64) {
    return call(handle, {"fmi3EnterInitializationMode", Mode::instantiated},
                [&](Instance& instance) { instance.enter_initialization(start); });
}

FMI3_EXPORT fmi3Status fmi3ExitInitializationMode(fmi3Instance handle) {
    return call(handle, {"fmi3ExitInitializationMode", Mode::initialization}, &Instance::exit_initialization);
}

FMI3_EXPORT fmi3Status fmi3EnterEventMode(fmi3Instance handle) {
    return call(handle, {"fmi3EnterEventMode", Mode::step | Mode::continuous_time}, [](Instance& instance) {
        if (instance.interface() == Interface::co_simulation && !instance.uses_event_mode())
            throw std::runtime_error("the unit was instantiated without event mode");
        instance.enter_event();
    });
}

FMI3_EXPORT fmi3Status fmi3Terminate(fmi3Instance handle) {
    return call(handle, {"fmi3Terminate", Mode::step | Mode::continuous_time | Mode::event}, &Instance::terminate);
}

FMI3_EXPORT fmi3Status fmi3Reset(fmi3Instance handle) { return call(handle, {"fmi3Reset"}, &Instance::reset); }

FMI3_EXPORT fmi3Status fmi3GetFMUState(fmi3Instance handle, fmi3FMUState* state) {
    return call(handle, {"fmi3GetFMUState"},
                [&](Instance& instance) { *state = instance.save(static_cast<Instance::Saved*>(*state)); });
}

FMI3_EXPORT fmi3Status fmi3SetFMUState(fmi3Instance handle, fmi3FMUState state) {
    return call(handle, {"fmi3SetFMUState"},
                [&](Instance& instance) { instance.restore(static_cast<Instance::Saved*>(state)); });
}

FMI3_EXPORT fmi3Status fmi3FreeFMUState(fmi3Instance handle, fmi3FMUState* state) {
    return call(handle, {"fmi3FreeFMUState"}, [&](Instance& instance) {
        if (state == nullptr || *state == nullptr) return;
        instance.release(static_cast<Instance::Saved*>(*state));
        *state = nullptr;
    });
}

FMI3_EXPORT fmi3Status fmi3SerializedFMUStateSize(fmi3Instance handle, fmi3FMUState state, size_t* size) {
    return call(handle, {"fmi3SerializedFMUStateSize"},
                [&](Instance& instance) { *size = instance.serialize(static_cast<Instance::Saved*>(state)).size(); });
}

FMI3_EXPORT fmi3Status fmi3SerializeFMUState(fmi3Instance handle, fmi3FMUState state, fmi3Byte bytes[], size_t size) {
    return call(handle, {"fmi3SerializeFMUState"}, [&](Instance& instance) {
        const Bytes content = instance.serialize(static_cast<Instance::Saved*>(state));
        if (content.size() > size)
            throw std::runtime_error("the state needs " + std::to_string(content.size()) + " bytes, there are " +
                                     std::to_string(size));
        std::copy(content.begin(), content.end(), bytes);
    });
}

FMI3_EXPORT fmi3Status fmi3DeserializeFMUState(fmi3Instance handle, const fmi3Byte bytes[], size_t size,
                                               fmi3FMUState* state) {
    return call(handle, {"fmi3DeserializeFMUState"}, [&](Instance& instance) {
        *state = const_cast<Instance::Saved*>(instance.deserialize({bytes, size}));
    });
}

FMI3_EXPORT fmi3Status fmi3GetDirectionalDerivative(fmi3Instance handle, const fmi3ValueReference unknowns[],
                                                    size_t unknown_count, const fmi3ValueReference knowns[],
                                                    size_t known_count, const fmi3Float64 seed[], size_t seed_count,
                                                    fmi3Float64 sensitivity[], size_t sensitivity_count) {
    const Modes allowed = Mode::initialization | Mode::event | Modes(Mode::step) | Mode::continuous_time;
    return call(handle, {"fmi3GetDirectionalDerivative", allowed}, [&](Instance& instance) {
        instance.directional_derivative(elements_of(instance, unknowns, unknown_count),
                                        elements_of(instance, knowns, known_count), {seed, seed_count},
                                        {sensitivity, sensitivity_count});
    });
}

FMI3_EXPORT fmi3Status fmi3GetAdjointDerivative(fmi3Instance handle, const fmi3ValueReference[], size_t,
                                                const fmi3ValueReference[], size_t, const fmi3Float64[], size_t,
                                                fmi3Float64[], size_t) {
    return refuse(handle, "fmi3GetAdjointDerivative", "the unit offers no adjoint derivatives");
}

FMI3_EXPORT fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance handle, fmi3ValueReference, size_t*) {
    return refuse(handle, "fmi3GetNumberOfVariableDependencies", "dependencies per element are not offered");
}

FMI3_EXPORT fmi3Status fmi3GetVariableDependencies(fmi3Instance handle, fmi3ValueReference, size_t[],
                                                   fmi3ValueReference[], size_t[], fmi3DependencyKind[], size_t) {
    return refuse(handle, "fmi3GetVariableDependencies", "dependencies per element are not offered");
}

FMI3_EXPORT fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance handle) {
    return call(handle, {"fmi3EvaluateDiscreteStates", Mode::initialization | Mode::event}, &Instance::refresh);
}

FMI3_EXPORT fmi3Status fmi3UpdateDiscreteStates(fmi3Instance handle, fmi3Boolean* discrete_states_need_update,
                                                fmi3Boolean* terminate, fmi3Boolean* nominals_changed,
                                                fmi3Boolean* values_changed, fmi3Boolean* next_event_time_defined,
                                                fmi3Float64* next_event_time) {
    return call(handle, {"fmi3UpdateDiscreteStates", Mode::event}, [&](Instance& instance) {
        const EventUpdate update = instance.update_discrete();
        *discrete_states_need_update = update.again;
        *terminate = update.terminate;
        *nominals_changed = false;
        *values_changed = update.states_changed;
        *next_event_time_defined = update.next_event.has_value();
        *next_event_time = update.next_event.value_or(0);
    });
}

FMI3_EXPORT fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance handle) {
    return call(handle, {"fmi3EnterContinuousTimeMode", Mode::event}, [](Instance& instance) {
        instance.require(Interface::model_exchange);
        instance.enter_continuous_time();
    });
}

FMI3_EXPORT fmi3Status fmi3CompletedIntegratorStep(fmi3Instance handle, fmi3Boolean, fmi3Boolean* enter_event_mode,
                                                   fmi3Boolean* terminate) {
    return call(handle, {"fmi3CompletedIntegratorStep", Mode::continuous_time}, [&](Instance&) {
        *enter_event_mode = false;
        *terminate = false;
    });
}

FMI3_EXPORT fmi3Status fmi3SetTime(fmi3Instance handle, fmi3Float64 t) {
    return call(handle, {"fmi3SetTime", Mode::continuous_time | Mode::event}, [&](Instance& instance) {
        instance.require(Interface::model_exchange);
        instance.set_time(t);
    });
}

FMI3_EXPORT fmi3Status fmi3SetContinuousStates(fmi3Instance handle, const fmi3Float64 values[], size_t count) {
    return call(handle, {"fmi3SetContinuousStates", Mode::continuous_time}, [&](Instance& instance) {
        instance.set_states({values, count});
    });
}

FMI3_EXPORT fmi3Status fmi3GetContinuousStates(fmi3Instance handle, fmi3Float64 values[], size_t count) {
    return call(handle, {"fmi3GetContinuousStates", model_exchange_modes}, [&](Instance& instance) {
        instance.refresh();
        instance.get_states({values, count});
    });
}

FMI3_EXPORT fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance handle, fmi3Float64 values[], size_t count) {
    return call(handle, {"fmi3GetContinuousStateDerivatives", model_exchange_modes}, [&](Instance& instance) {
        instance.get_derivatives({values, count});
    });
}

FMI3_EXPORT fmi3Status fmi3GetEventIndicators(fmi3Instance handle, fmi3Float64 values[], size_t count) {
    return call(handle, {"fmi3GetEventIndicators", model_exchange_modes}, [&](Instance& instance) {
        instance.get_event_indicators({values, count});
    });
}

FMI3_EXPORT fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance handle, fmi3Float64 values[], size_t count) {
    return call(handle, {"fmi3GetNominalsOfContinuousStates", model_exchange_modes}, [&](Instance& instance) {
        instance.get_nominals({values, count});
    });
}

FMI3_EXPORT fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance handle, size_t* count) {
    return call(handle, {"fmi3GetNumberOfContinuousStates"},
                [&](Instance& instance) { *count = instance.state_count(); });
}

FMI3_EXPORT fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance handle, size_t* count) {
    return call(handle, {"fmi3GetNumberOfEventIndicators"},
                [&](Instance& instance) { *count = instance.event_indicators().size(); });
}

FMI3_EXPORT fmi3Status fmi3EnterStepMode(fmi3Instance handle) {
    return call(handle, {"fmi3EnterStepMode", Mode::event}, [](Instance& instance) {
        instance.require(Interface::co_simulation);
        instance.enter_step();
    });
}

FMI3_EXPORT fmi3Status fmi3GetOutputDerivatives(fmi3Instance handle, const fmi3ValueReference references[],
                                                size_t count, const fmi3Int32 orders[], fmi3Float64 values[],
                                                size_t value_count) {
    return call(handle, {"fmi3GetOutputDerivatives", Mode::step | Mode::terminated}, [&](Instance& instance) {
        size_t at = 0;
        for (size_t i = 0; i < count; ++i)
            for (size_t k = 0; k < instance.find(references[i]).cells.count(); ++k) {
                if (at == value_count) throw std::runtime_error("there are more derivatives than values to fill");
                values[at++] = instance.output_derivative({references[i], k}, orders[i]);
            }
    });
}

FMI3_EXPORT fmi3Status fmi3DoStep(fmi3Instance handle, fmi3Float64 t, fmi3Float64 h, fmi3Boolean,
                                  fmi3Boolean* event_handling_needed, fmi3Boolean* terminate, fmi3Boolean* early_return,
                                  fmi3Float64* last_successful_time) {
    return call(handle, {"fmi3DoStep", Mode::step}, [&](Instance& instance) {
        instance.require(Interface::co_simulation);
        const StepEnd end = instance.do_step(t, h);
        *event_handling_needed = end.event;
        *terminate = end.terminate;
        *early_return = end.event && end.reached < t + h;
        *last_successful_time = end.reached;
    });
}

FMI3_EXPORT fmi3Status fmi3ActivateModelPartition(fmi3Instance handle, fmi3ValueReference, fmi3Float64) {
    return refuse(handle, "fmi3ActivateModelPartition", "the unit offers no scheduled execution");
}
