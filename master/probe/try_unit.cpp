#include "master/fmi/unit/calls.hpp"
#include "master/probe/trial.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <type_traits>
#include <vector>

namespace probe {
namespace {

using master::fmi::Calls2;
using master::fmi::Calls3;
using master::fmi::Native;

void keep2(fmi2ComponentEnvironment, fmi2String, fmi2Status, fmi2String, fmi2String message, ...) {
    keep_message(message);
}
void keep3(fmi3InstanceEnvironment, fmi3Status, fmi3String, fmi3String message) { keep_message(message); }

bool fine(int status) { return status == master::fmi::Status::ok || status == master::fmi::Status::warning; }

std::nullptr_t cannot_instantiate() {
    keep_message("the library has no function for it");
    return nullptr;
}

/// A library whose functions may all be missing.
template <class Calls>
class Functions {
public:
    Functions(void* library, const Answers& answers) : library_(library), answers_(answers) {}

    /// By the name without the prefix, or null; the call that comes next, for whoever asks where this process died.
    template <class Function = void()>
    [[nodiscard]] Function* find(const std::string& name) const {
        const std::string whole = std::string(Calls::prefix) + name;
        answers_.stage(whole);
        return reinterpret_cast<Function*>(dlsym(library_, whole.c_str()));
    }

private:
    void* library_;
    const Answers& answers_;
};

fmi2Component instantiate(Request& request, const Functions<Calls2>& functions) {
    static const fmi2CallbackFunctions callbacks{keep2, std::calloc, std::free, nullptr, nullptr};
    const auto make = functions.find<fmi2InstantiateTYPE>("Instantiate");
    if (make == nullptr) return cannot_instantiate();
    return make("probe", request.model_exchange ? fmi2ModelExchange : fmi2CoSimulation, request.token.c_str(),
                request.resources.c_str(), &callbacks, fmi2False, fmi2True);
}

fmi3Instance instantiate(Request& request, const Functions<Calls3>& functions) {
    const char* resources = request.resources.empty() ? nullptr : request.resources.c_str();
    if (request.model_exchange) {
        const auto make = functions.find<fmi3InstantiateModelExchangeTYPE>("InstantiateModelExchange");
        if (make == nullptr) return cannot_instantiate();
        return make("probe", request.token.c_str(), resources, false, true, nullptr, keep3);
    }
    const auto make = functions.find<fmi3InstantiateCoSimulationTYPE>("InstantiateCoSimulation");
    if (make == nullptr) return cannot_instantiate();
    const auto call = [&](bool event_mode) {
        return make("probe", request.token.c_str(), resources, false, true, event_mode,
                    event_mode && request.early_return, nullptr, 0, nullptr, keep3, nullptr);
    };
    const fmi3Instance made = call(request.event_mode);
    if (made != nullptr || !request.event_mode) return made;
    request.event_mode = false;  // claimed and refused: a run does without
    return call(false);
}

/// A unit of either version. A function that is missing is a call that fails.
template <class Calls>
class Unit {
public:
    using State = typename Calls::State;
    using Instance = typename Calls::Instance;

    Unit(const Request& request, const Functions<Calls>& functions, Instance instance)
        : request_(request), functions_(functions), instance_(instance), time_(request.start) {}

    bool initialize() {
        const bool tolerant = request_.tolerance > 0;
        const double tolerance = request_.tolerance;
        if constexpr (is2) {
            if (!call<fmi2SetupExperimentTYPE>("SetupExperiment", tolerant, tolerance, request_.start, fmi2False, 0))
                return false;
            if (!call<Plain>("EnterInitializationMode")) return false;
        } else {
            if (!call<fmi3EnterInitializationModeTYPE>("EnterInitializationMode", tolerant, tolerance, request_.start,
                                                       false, 0))
                return false;
        }
        const bool in_event_mode = request_.model_exchange || request_.event_mode;
        return call<Plain>("ExitInitializationMode") && (!in_event_mode || leave_event_mode());
    }
    bool advance() { return one_step() && one_step(); }
    std::vector<double> outputs() {
        std::vector<double> values(request_.outputs.size());
        if (!values.empty()) (void)get(request_.outputs.data(), values.size(), values.data());
        return values;
    }
    bool save(State& state) {
        saved_time_ = time_;
        return call<Result(Instance, State*)>("Get" + state_name, &state);
    }
    bool restore(State state) {
        time_ = saved_time_;
        return call<Result(Instance, State)>("Set" + state_name, state);
    }
    bool serialize(State state, std::vector<char>& bytes) {
        std::size_t count = 0;
        if (!call<Result(Instance, State, std::size_t*)>("Serialized" + state_name + "Size", state, &count))
            return false;
        bytes.resize(count);
        using Write = Result(Instance, State, Byte*, std::size_t);
        return call<Write>("Serialize" + state_name, state, reinterpret_cast<Byte*>(bytes.data()), count);
    }
    bool deserialize(const std::vector<char>& bytes, State& state) {
        using Read = Result(Instance, const Byte*, std::size_t, State*);
        return call<Read>((is2 ? "DeSerialize" : "Deserialize") + state_name,
                          reinterpret_cast<const Byte*>(bytes.data()), bytes.size(), &state);
    }
    bool derivative(double& value) {
        const double one = 1;
        const auto* unknown = request_.unknown.data();
        const auto* known = request_.known.data();
        const char* name = "GetDirectionalDerivative";
        if constexpr (is2) return call<fmi2GetDirectionalDerivativeTYPE>(name, unknown, 1, known, 1, &one, &value);
        if constexpr (!is2)
            return call<fmi3GetDirectionalDerivativeTYPE>(name, unknown, 1, known, 1, &one, 1, &value, 1);
    }
    /// Only in model exchange may an output be read after an input was set.
    bool difference(double& value) {
        if (!request_.model_exchange || !request_.movable) return false;
        double input = 0, low = 0, high = 0;
        if (!get(request_.known.data(), 1, &input)) return false;
        const double delta = 1e-6 * std::max(std::abs(input), 1.0);
        const auto at = [&](double known, double& unknown) {
            return set(request_.known.data(), known) && get(request_.unknown.data(), 1, &unknown);
        };
        const bool read = at(input - delta, low) && at(input + delta, high);
        const bool back = set(request_.known.data(), input);
        value = (high - low) / (2 * delta);
        return read && back;
    }

private:
    static constexpr bool is2 = std::is_same_v<Calls, Calls2>;
    using Result = typename Calls::Result;
    using Reference = typename Calls::Reference;
    using Byte = std::conditional_t<is2, fmi2Byte, fmi3Byte>;
    using Plain = Result(Instance);
    using States = Result(Instance, double*, std::size_t);
    static inline const std::string state_name{Calls::state};
    static inline const std::string real_name{Calls::type_name(Native::float64)};

    template <class Function, class... Arguments>
    bool call(const std::string& name, Arguments... arguments) {
        const auto function = functions_.template find<Function>(name);
        return function != nullptr && fine(function(instance_, arguments...));
    }
    bool get(const Reference* references, std::size_t count, double* values) {
        const auto function = functions_.find("Get" + real_name);
        return function != nullptr && fine(Calls::get_plainly(function, instance_, references, count, values, count));
    }
    bool set(const Reference* reference, double value) {
        const auto function = functions_.find("Set" + real_name);
        return function != nullptr && fine(Calls::set_plainly(function, instance_, reference, 1, &value, 1));
    }
    bool leave_event_mode() {
        bool again = true;
        for (int i = 0; i < 100 && again; ++i) {
            if (!update(again)) return false;
        }
        return call<Plain>(request_.model_exchange ? "EnterContinuousTimeMode" : "EnterStepMode");
    }
    bool update(bool& again) {
        if constexpr (is2) {
            fmi2EventInfo info{};
            const bool updated = call<fmi2NewDiscreteStatesTYPE>("NewDiscreteStates", &info);
            again = info.newDiscreteStatesNeeded != fmi2False;
            return updated;
        } else {
            bool ends = false, nominals = false, values = false, timed = false;
            double next = 0;
            return call<fmi3UpdateDiscreteStatesTYPE>("UpdateDiscreteStates", &again, &ends, &nominals, &values, &timed,
                                                      &next);
        }
    }
    bool one_step() {
        const double from = time_;
        time_ += request_.step;
        if (request_.model_exchange) return euler(from);
        if constexpr (is2) {
            return call<fmi2DoStepTYPE>("DoStep", from, request_.step, fmi2False);
        } else {
            return step_with_events(from);
        }
    }
    bool step_with_events(double from) {
        constexpr int most_parts = 100;
        const double close = 1e-9 * request_.step;
        for (int part = 0; part < most_parts && from < time_ - close; ++part) {
            bool event = false, ends = false, early = false;
            double reached = time_;
            if (!call<fmi3DoStepTYPE>("DoStep", from, time_ - from, false, &event, &ends, &early, &reached))
                return false;
            if (ends) return true;
            if (event && request_.event_mode && !(call<Plain>("EnterEventMode") && leave_event_mode())) return false;
            from = early ? reached : time_;
        }
        return true;
    }
    bool euler(double from) {
        using SetTime = Result(Instance, double);
        using SetStates = Result(Instance, const double*, std::size_t);
        std::vector<double> x(request_.states), slope(request_.states);
        if (!call<SetTime>("SetTime", from)) return false;
        if (!x.empty()) {
            const char* rates = is2 ? "GetDerivatives" : "GetContinuousStateDerivatives";
            if (!call<States>("GetContinuousStates", x.data(), x.size())) return false;
            if (!call<States>(rates, slope.data(), x.size())) return false;
        }
        if (!call<SetTime>("SetTime", time_)) return false;
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += request_.step * slope[i];
        return x.empty() || call<SetStates>("SetContinuousStates", x.data(), x.size());
    }

    const Request& request_;
    const Functions<Calls>& functions_;
    Instance instance_;
    double time_, saved_time_ = 0;
};

template <class Calls>
int try_version(Request request, void* library, const Answers& answers) {
    const Functions<Calls> functions(library, answers);
    const auto instance = instantiate(request, functions);
    if (instance == nullptr) {
        answers.say("error", "it cannot be instantiated" + kept_message());
        return 2;
    }
    answers.say("instantiate", "works");
    Unit<Calls> unit(request, functions, instance);
    if (!unit.initialize()) {
        answers.say("initialize", "fails with its start values" + kept_message());
        answers.say("done", "yes");
        return 0;
    }
    answers.say("initialize", "works");
    try_abilities(unit, request, answers);
    answers.say("done", "yes");
    return 0;
}

}  // namespace

int try_unit(const Request& request, void* library, const Answers& answers) {
    return request.version == 2 ? try_version<Calls2>(request, library, answers)
                                : try_version<Calls3>(request, library, answers);
}

}  // namespace probe
