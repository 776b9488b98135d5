// The FMI 2.0 entry points of a unit: life cycle, stepping, states. Values are in fmi2_values.cpp.
#include "fmus/common/description/description.hpp"
#include "fmus/common/fmi2/fmi2_layer.hpp"
#include "fmus/common/state/setup.hpp"

#include <algorithm>
#include <string>

namespace {

using namespace fmus;
using namespace fmus::fmi2;

constexpr Modes model_exchange_modes =
    Mode::initialization | Mode::event | Modes(Mode::continuous_time) | Mode::terminated;

/// FMI 2 messages are printf formats in which '#' marks references: both are doubled, so no argument is needed.
std::string escaped(const std::string& text) {
    std::string result;
    for (const char c : text) {
        result += c;
        if (c == '%' || c == '#') result += c;
    }
    return result;
}

/// The native path of a file URI; empty for anything else.
std::string path_of(fmi2String uri) {
    if (uri == nullptr) return "";
    std::string_view text(uri);
    for (const std::string_view prefix : {"file://localhost/", "file:///", "file:/"}) {
        if (!text.starts_with(prefix)) continue;
        text.remove_prefix(prefix.size() - 1);
        std::string path;
        for (size_t i = 0; i < text.size(); ++i) {
            if (text[i] == '%' && i + 2 < text.size()) {
                path += static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16));
                i += 2;
            } else {
                path += text[i];
            }
        }
        if (!path.ends_with('/')) path += '/';
        return path;
    }
    return "";
}

std::vector<Element> elements_of(const Component& component, const fmi2ValueReference references[], size_t count) {
    std::vector<Element> elements;
    for (size_t i = 0; i < count; ++i) elements.push_back(component.element(references[i]));
    return elements;
}

Instance::Saved* saved(fmi2FMUstate state) { return static_cast<Instance::Saved*>(state); }

fmi2Status refuse(fmi2Component handle, const char* function, const char* why) {
    return call(handle, {function}, [&](Instance&) { throw std::runtime_error(why); });
}

}  // namespace

FMI2_EXPORT const char* fmi2GetTypesPlatform() { return "default"; }

FMI2_EXPORT const char* fmi2GetVersion() { return "2.0"; }

FMI2_EXPORT fmi2Status fmi2SetDebugLogging(fmi2Component handle, fmi2Boolean on, size_t, const fmi2String[]) {
    return call(handle, {"fmi2SetDebugLogging"}, [&](Instance& instance) { instance.set_logging(on != fmi2False); });
}

FMI2_EXPORT fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                                          const fmi2CallbackFunctions* functions, fmi2Boolean, fmi2Boolean logging) {
    if (functions == nullptr) return nullptr;
    const std::string instance_name = name == nullptr ? "" : name;
    const fmi2CallbackFunctions callbacks = *functions;
    const auto log = [instance_name, callbacks](Status status, const char* category, const std::string& text) {
        if (callbacks.logger != nullptr)
            callbacks.logger(callbacks.componentEnvironment, instance_name.c_str(), static_cast<fmi2Status>(status),
                             category, escaped(text).c_str());
    };
    try {
        Setup setup;
        setup.resources = path_of(resources);
        auto component = std::make_unique<Component>();
        component->instance = create();
        Instance& instance = *component->instance;
        instance.declare(setup.resources);
        instance.finish();
        if (guid == nullptr || fmi2_token(instance) != guid)
            throw std::runtime_error("the guid is not " + fmi2_token(instance) +
                                     ": model description and library do not belong together");
        setup.interface = type == fmi2ModelExchange ? Interface::model_exchange : Interface::co_simulation;
        setup.logging = logging != fmi2False;
        setup.log = log;
        instance.start(std::move(setup));
        component->elements = fmi2_elements(instance);
        return component.release();
    } catch (const std::exception& problem) {
        log(Status::error, "logStatusError", std::string("instantiation refused: ") + problem.what());
        return nullptr;
    }
}

FMI2_EXPORT void fmi2FreeInstance(fmi2Component handle) {
    const std::unique_ptr<Component> owned(static_cast<Component*>(handle));
}

FMI2_EXPORT fmi2Status fmi2SetupExperiment(fmi2Component handle, fmi2Boolean, fmi2Real, fmi2Real start, fmi2Boolean,
                                           fmi2Real) {
    return call(handle, {"fmi2SetupExperiment", Mode::instantiated},
                [&](Component& component) { component.last_time = start; });
}

FMI2_EXPORT fmi2Status fmi2EnterInitializationMode(fmi2Component handle) {
    return call(handle, {"fmi2EnterInitializationMode", Mode::instantiated},
                [](Component& component) { component.instance->enter_initialization(component.last_time); });
}

FMI2_EXPORT fmi2Status fmi2ExitInitializationMode(fmi2Component handle) {
    return call(handle, {"fmi2ExitInitializationMode", Mode::initialization}, &Instance::exit_initialization);
}

FMI2_EXPORT fmi2Status fmi2Terminate(fmi2Component handle) {
    return call(handle, {"fmi2Terminate", Mode::step | Mode::continuous_time | Mode::event}, &Instance::terminate);
}

FMI2_EXPORT fmi2Status fmi2Reset(fmi2Component handle) {
    return call(handle, {"fmi2Reset"}, [](Component& component) {
        component.instance->reset();
        component.last_step = {};
        component.last_time = 0;
    });
}

FMI2_EXPORT fmi2Status fmi2GetFMUstate(fmi2Component handle, fmi2FMUstate* state) {
    return call(handle, {"fmi2GetFMUstate"}, [&](Instance& instance) { *state = instance.save(saved(*state)); });
}

FMI2_EXPORT fmi2Status fmi2SetFMUstate(fmi2Component handle, fmi2FMUstate state) {
    return call(handle, {"fmi2SetFMUstate"}, [&](Instance& instance) { instance.restore(saved(state)); });
}

FMI2_EXPORT fmi2Status fmi2FreeFMUstate(fmi2Component handle, fmi2FMUstate* state) {
    return call(handle, {"fmi2FreeFMUstate"}, [&](Instance& instance) {
        if (state == nullptr || *state == nullptr) return;
        instance.release(saved(*state));
        *state = nullptr;
    });
}

FMI2_EXPORT fmi2Status fmi2SerializedFMUstateSize(fmi2Component handle, fmi2FMUstate state, size_t* size) {
    return call(handle, {"fmi2SerializedFMUstateSize"},
                [&](Instance& instance) { *size = instance.serialize(saved(state)).size(); });
}

FMI2_EXPORT fmi2Status fmi2SerializeFMUstate(fmi2Component handle, fmi2FMUstate state, fmi2Byte bytes[], size_t size) {
    return call(handle, {"fmi2SerializeFMUstate"}, [&](Instance& instance) {
        const Bytes content = instance.serialize(saved(state));
        if (content.size() > size)
            throw std::runtime_error("the state needs " + std::to_string(content.size()) + " bytes, there are " +
                                     std::to_string(size));
        std::copy(content.begin(), content.end(), reinterpret_cast<std::uint8_t*>(bytes));
    });
}

FMI2_EXPORT fmi2Status fmi2DeSerializeFMUstate(fmi2Component handle, const fmi2Byte bytes[], size_t size,
                                               fmi2FMUstate* state) {
    return call(handle, {"fmi2DeSerializeFMUstate"}, [&](Instance& instance) {
        *state =
            const_cast<Instance::Saved*>(instance.deserialize({reinterpret_cast<const std::uint8_t*>(bytes), size}));
    });
}

FMI2_EXPORT fmi2Status fmi2GetDirectionalDerivative(fmi2Component handle, const fmi2ValueReference unknowns[],
                                                    size_t unknown_count, const fmi2ValueReference knowns[],
                                                    size_t known_count, const fmi2Real seed[], fmi2Real sensitivity[]) {
    const Modes allowed = Mode::initialization | Mode::event | Modes(Mode::step) | Mode::continuous_time;
    return call(handle, {"fmi2GetDirectionalDerivative", allowed}, [&](Component& component) {
        component.instance->directional_derivative(elements_of(component, unknowns, unknown_count),
                                                   elements_of(component, knowns, known_count), {seed, known_count},
                                                   {sensitivity, unknown_count});
    });
}

FMI2_EXPORT fmi2Status fmi2EnterEventMode(fmi2Component handle) {
    return call(handle, {"fmi2EnterEventMode", Mode::continuous_time}, &Instance::enter_event);
}

FMI2_EXPORT fmi2Status fmi2NewDiscreteStates(fmi2Component handle, fmi2EventInfo* info) {
    return call(handle, {"fmi2NewDiscreteStates", Mode::event}, [&](Instance& instance) {
        const EventUpdate update = instance.update_discrete();
        info->newDiscreteStatesNeeded = update.again ? fmi2True : fmi2False;
        info->terminateSimulation = update.terminate ? fmi2True : fmi2False;
        info->nominalsOfContinuousStatesChanged = fmi2False;
        info->valuesOfContinuousStatesChanged = update.states_changed ? fmi2True : fmi2False;
        info->nextEventTimeDefined = update.next_event ? fmi2True : fmi2False;
        info->nextEventTime = update.next_event.value_or(0);
    });
}

FMI2_EXPORT fmi2Status fmi2EnterContinuousTimeMode(fmi2Component handle) {
    return call(handle, {"fmi2EnterContinuousTimeMode", Mode::event}, &Instance::enter_continuous_time);
}

FMI2_EXPORT fmi2Status fmi2CompletedIntegratorStep(fmi2Component handle, fmi2Boolean, fmi2Boolean* enter_event_mode,
                                                   fmi2Boolean* terminate) {
    return call(handle, {"fmi2CompletedIntegratorStep", Mode::continuous_time}, [&](Instance&) {
        *enter_event_mode = fmi2False;
        *terminate = fmi2False;
    });
}

FMI2_EXPORT fmi2Status fmi2SetTime(fmi2Component handle, fmi2Real t) {
    return call(handle, {"fmi2SetTime", Mode::continuous_time | Mode::event},
                [&](Instance& instance) { instance.set_time(t); });
}

FMI2_EXPORT fmi2Status fmi2SetContinuousStates(fmi2Component handle, const fmi2Real values[], size_t count) {
    return call(handle, {"fmi2SetContinuousStates", Mode::continuous_time}, [&](Instance& instance) {
        instance.set_states({values, count});
    });
}

FMI2_EXPORT fmi2Status fmi2GetContinuousStates(fmi2Component handle, fmi2Real values[], size_t count) {
    return call(handle, {"fmi2GetContinuousStates", model_exchange_modes}, [&](Instance& instance) {
        instance.refresh();
        instance.get_states({values, count});
    });
}

FMI2_EXPORT fmi2Status fmi2GetDerivatives(fmi2Component handle, fmi2Real values[], size_t count) {
    return call(handle, {"fmi2GetDerivatives", model_exchange_modes}, [&](Instance& instance) {
        instance.get_derivatives({values, count});
    });
}

FMI2_EXPORT fmi2Status fmi2GetEventIndicators(fmi2Component handle, fmi2Real values[], size_t count) {
    return call(handle, {"fmi2GetEventIndicators", model_exchange_modes}, [&](Instance& instance) {
        instance.get_event_indicators({values, count});
    });
}

FMI2_EXPORT fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component handle, fmi2Real values[], size_t count) {
    return call(handle, {"fmi2GetNominalsOfContinuousStates", Mode::instantiated | model_exchange_modes},
                [&](Instance& instance) {
                    instance.get_nominals({values, count});
                });
}

FMI2_EXPORT fmi2Status fmi2SetRealInputDerivatives(fmi2Component handle, const fmi2ValueReference references[],
                                                   size_t count, const fmi2Integer orders[], const fmi2Real values[]) {
    return call(handle, {"fmi2SetRealInputDerivatives", Mode::step}, [&](Component& component) {
        component.instance->require(Interface::co_simulation);
        for (size_t i = 0; i < count; ++i)
            component.instance->set_input_derivative(component.element(references[i]), orders[i], values[i]);
    });
}

FMI2_EXPORT fmi2Status fmi2GetRealOutputDerivatives(fmi2Component handle, const fmi2ValueReference references[],
                                                    size_t count, const fmi2Integer orders[], fmi2Real values[]) {
    return call(handle, {"fmi2GetRealOutputDerivatives", Mode::step | Mode::terminated}, [&](Component& component) {
        for (size_t i = 0; i < count; ++i)
            values[i] = component.instance->output_derivative(component.element(references[i]), orders[i]);
    });
}

FMI2_EXPORT fmi2Status fmi2DoStep(fmi2Component handle, fmi2Real t, fmi2Real h, fmi2Boolean) {
    auto* component = static_cast<Component*>(handle);
    const fmi2Status status = call(handle, {"fmi2DoStep", Mode::step}, [&](Component& self) {
        self.instance->require(Interface::co_simulation);
        self.last_step = self.instance->do_step(t, h);
        self.last_time = self.last_step.reached;
    });
    // FMI 2 has no other way to say that the unit wants the simulation to end: Discard, then fmi2Terminated.
    if (status == fmi2OK && component->last_step.terminate) return fmi2Discard;
    return status;
}

FMI2_EXPORT fmi2Status fmi2CancelStep(fmi2Component handle) {
    return refuse(handle, "fmi2CancelStep", "the unit never steps asynchronously");
}

FMI2_EXPORT fmi2Status fmi2GetStatus(fmi2Component handle, fmi2StatusKind, fmi2Status*) {
    return refuse(handle, "fmi2GetStatus", "the unit never steps asynchronously");
}

FMI2_EXPORT fmi2Status fmi2GetRealStatus(fmi2Component handle, fmi2StatusKind kind, fmi2Real* value) {
    return call(handle, {"fmi2GetRealStatus"}, [&](Component& component) {
        if (kind != fmi2LastSuccessfulTime) throw std::runtime_error("the only real status is fmi2LastSuccessfulTime");
        *value = component.last_time;
    });
}

FMI2_EXPORT fmi2Status fmi2GetIntegerStatus(fmi2Component handle, fmi2StatusKind, fmi2Integer*) {
    return refuse(handle, "fmi2GetIntegerStatus", "there is no integer status");
}

FMI2_EXPORT fmi2Status fmi2GetBooleanStatus(fmi2Component handle, fmi2StatusKind kind, fmi2Boolean* value) {
    return call(handle, {"fmi2GetBooleanStatus"}, [&](Component& component) {
        if (kind != fmi2Terminated) throw std::runtime_error("the only boolean status is fmi2Terminated");
        *value = component.last_step.terminate ? fmi2True : fmi2False;
    });
}

FMI2_EXPORT fmi2Status fmi2GetStringStatus(fmi2Component handle, fmi2StatusKind, fmi2String*) {
    return refuse(handle, "fmi2GetStringStatus", "there is no string status");
}
