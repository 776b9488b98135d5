#include "interfaces/fmi/fmi3.h"
#include "master/probe/trial.hpp"

#include <algorithm>

namespace probe {
namespace {

void keep(fmi3InstanceEnvironment, fmi3Status, fmi3String, fmi3String message) { keep_message(message); }

bool fine(fmi3Status status) { return status == fmi3OK || status == fmi3Warning; }

class Unit3 {
public:
    using State = fmi3FMUState;

    Unit3(const Request& request, void* library, fmi3Instance instance)
        : request_(request), library_(library), instance_(instance), time_(request.start) {}

    bool initialize() {
        const auto enter = function<fmi3EnterInitializationModeTYPE>(library_, "fmi3EnterInitializationMode");
        const auto leave = function<fmi3ExitInitializationModeTYPE>(library_, "fmi3ExitInitializationMode");
        if (enter == nullptr || leave == nullptr) return false;
        const bool tolerant = request_.tolerance > 0;
        if (!fine(enter(instance_, tolerant, request_.tolerance, request_.start, false, 0))) return false;
        return fine(leave(instance_)) && (!request_.model_exchange || settle());
    }
    bool advance() { return one_step() && one_step(); }
    std::vector<double> outputs() {
        std::vector<double> values(request_.outputs.size());
        const auto get = function<fmi3GetFloat64TYPE>(library_, "fmi3GetFloat64");
        if (get != nullptr && !values.empty()) {
            get(instance_, request_.outputs.data(), values.size(), values.data(), values.size());
        }
        return values;
    }
    bool save(State& state) {
        saved_time_ = time_;
        const auto get = function<fmi3GetFMUStateTYPE>(library_, "fmi3GetFMUState");
        return get != nullptr && fine(get(instance_, &state));
    }
    bool restore(State state) {
        time_ = saved_time_;
        const auto set = function<fmi3SetFMUStateTYPE>(library_, "fmi3SetFMUState");
        return set != nullptr && fine(set(instance_, state));
    }
    bool serialize(State state, std::vector<char>& bytes) {
        const auto size = function<fmi3SerializedFMUStateSizeTYPE>(library_, "fmi3SerializedFMUStateSize");
        const auto write = function<fmi3SerializeFMUStateTYPE>(library_, "fmi3SerializeFMUState");
        std::size_t count = 0;
        if (size == nullptr || write == nullptr || !fine(size(instance_, state, &count))) return false;
        bytes.resize(count);
        return fine(write(instance_, state, reinterpret_cast<fmi3Byte*>(bytes.data()), count));
    }
    bool deserialize(const std::vector<char>& bytes, State& state) {
        const auto read = function<fmi3DeserializeFMUStateTYPE>(library_, "fmi3DeserializeFMUState");
        const auto* data = reinterpret_cast<const fmi3Byte*>(bytes.data());
        return read != nullptr && fine(read(instance_, data, bytes.size(), &state));
    }
    bool derivative(double& value) {
        const auto get = function<fmi3GetDirectionalDerivativeTYPE>(library_, "fmi3GetDirectionalDerivative");
        const double one = 1;
        return get != nullptr &&
               fine(get(instance_, request_.unknown.data(), 1, request_.known.data(), 1, &one, 1, &value, 1));
    }
    /// Only in model exchange may an output be read after an input was set.
    bool difference(double& value) {
        const auto get = function<fmi3GetFloat64TYPE>(library_, "fmi3GetFloat64");
        const auto set = function<fmi3SetFloat64TYPE>(library_, "fmi3SetFloat64");
        if (!request_.model_exchange || !request_.movable || get == nullptr || set == nullptr) return false;
        double input = 0, low = 0, high = 0;
        if (!fine(get(instance_, request_.known.data(), 1, &input, 1))) return false;
        const double delta = 1e-6 * std::max(std::abs(input), 1.0);
        const auto at = [&](double known, double& unknown) {
            return fine(set(instance_, request_.known.data(), 1, &known, 1)) &&
                   fine(get(instance_, request_.unknown.data(), 1, &unknown, 1));
        };
        const bool read = at(input - delta, low) && at(input + delta, high);
        const bool back = fine(set(instance_, request_.known.data(), 1, &input, 1));
        value = (high - low) / (2 * delta);
        return read && back;
    }

private:
    bool settle() {
        const auto update = function<fmi3UpdateDiscreteStatesTYPE>(library_, "fmi3UpdateDiscreteStates");
        const auto leave = function<fmi3EnterContinuousTimeModeTYPE>(library_, "fmi3EnterContinuousTimeMode");
        if (update == nullptr || leave == nullptr) return false;
        bool again = true, ends = false, nominals = false, values = false, timed = false;
        double next = 0;
        for (int i = 0; i < 100 && again; ++i) {
            if (!fine(update(instance_, &again, &ends, &nominals, &values, &timed, &next))) return false;
        }
        return fine(leave(instance_));
    }
    bool one_step() {
        const double from = time_;
        time_ += request_.step;
        if (request_.model_exchange) return euler(from);
        const auto step = function<fmi3DoStepTYPE>(library_, "fmi3DoStep");
        bool event = false, ends = false, early = false;
        double reached = time_;
        return step != nullptr && fine(step(instance_, from, request_.step, false, &event, &ends, &early, &reached));
    }
    bool euler(double from) {
        const auto set_time = function<fmi3SetTimeTYPE>(library_, "fmi3SetTime");
        const auto get = function<fmi3GetContinuousStatesTYPE>(library_, "fmi3GetContinuousStates");
        const auto rates =
            function<fmi3GetContinuousStateDerivativesTYPE>(library_, "fmi3GetContinuousStateDerivatives");
        const auto set = function<fmi3SetContinuousStatesTYPE>(library_, "fmi3SetContinuousStates");
        if (set_time == nullptr || !fine(set_time(instance_, from))) return false;
        std::vector<double> x(request_.states), slope(request_.states);
        if (!x.empty()) {
            if (get == nullptr || rates == nullptr || set == nullptr) return false;
            if (!fine(get(instance_, x.data(), x.size())) || !fine(rates(instance_, slope.data(), x.size())))
                return false;
        }
        if (!fine(set_time(instance_, time_))) return false;
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += request_.step * slope[i];
        return x.empty() || fine(set(instance_, x.data(), x.size()));
    }

    const Request& request_;
    void* library_;
    fmi3Instance instance_;
    double time_, saved_time_ = 0;
};

fmi3Instance instantiate(const Request& request, void* library) {
    const char* resources = request.resources.empty() ? nullptr : request.resources.c_str();
    if (request.model_exchange) {
        const auto make = function<fmi3InstantiateModelExchangeTYPE>(library, "fmi3InstantiateModelExchange");
        if (make == nullptr) return nullptr;
        return make("probe", request.token.c_str(), resources, false, true, nullptr, keep);
    }
    const auto make = function<fmi3InstantiateCoSimulationTYPE>(library, "fmi3InstantiateCoSimulation");
    if (make == nullptr) return nullptr;
    return make("probe", request.token.c_str(), resources, false, true, false, false, nullptr, 0, nullptr, keep,
                nullptr);
}

}  // namespace

int try_fmi3(const Request& request, void* library, const Answers& answers) {
    answers.stage("instantiation");
    const fmi3Instance instance = instantiate(request, library);
    if (instance == nullptr) {
        answers.say("error", "it cannot be instantiated" + kept_message());
        return 2;
    }
    answers.say("instantiate", "works");
    answers.stage("initialisation");
    Unit3 unit(request, library, instance);
    if (!unit.initialize()) {
        answers.say("initialize", "fails with its start values" + kept_message());
        return 0;
    }
    answers.say("initialize", "works");
    try_abilities(unit, request, answers);
    return 0;
}

}  // namespace probe
