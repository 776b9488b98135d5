#include "interfaces/fmi/fmi2.h"
#include "master/probe/trial.hpp"

#include <algorithm>
#include <cstdlib>

namespace probe {
namespace {

void keep(fmi2ComponentEnvironment, fmi2String, fmi2Status, fmi2String, fmi2String message, ...) {
    keep_message(message);
}

bool fine(fmi2Status status) { return status == fmi2OK || status == fmi2Warning; }

class Unit2 {
public:
    using State = fmi2FMUstate;

    Unit2(const Request& request, void* library, fmi2Component component)
        : request_(request), library_(library), component_(component), time_(request.start) {}

    bool initialize() {
        const auto setup = function<fmi2SetupExperimentTYPE>(library_, "fmi2SetupExperiment");
        const auto enter = function<fmi2EnterInitializationModeTYPE>(library_, "fmi2EnterInitializationMode");
        const auto leave = function<fmi2ExitInitializationModeTYPE>(library_, "fmi2ExitInitializationMode");
        if (setup == nullptr || enter == nullptr || leave == nullptr) return false;
        const bool tolerant = request_.tolerance > 0;
        if (!fine(setup(component_, tolerant, request_.tolerance, request_.start, fmi2False, 0))) return false;
        return fine(enter(component_)) && fine(leave(component_)) && (!request_.model_exchange || settle());
    }
    bool advance() { return one_step() && one_step(); }
    std::vector<double> outputs() {
        std::vector<double> values(request_.outputs.size());
        const auto get = function<fmi2GetRealTYPE>(library_, "fmi2GetReal");
        if (get != nullptr && !values.empty()) get(component_, request_.outputs.data(), values.size(), values.data());
        return values;
    }
    bool save(State& state) {
        saved_time_ = time_;
        const auto get = function<fmi2GetFMUstateTYPE>(library_, "fmi2GetFMUstate");
        return get != nullptr && fine(get(component_, &state));
    }
    bool restore(State state) {
        time_ = saved_time_;
        const auto set = function<fmi2SetFMUstateTYPE>(library_, "fmi2SetFMUstate");
        return set != nullptr && fine(set(component_, state));
    }
    bool serialize(State state, std::vector<char>& bytes) {
        const auto size = function<fmi2SerializedFMUstateSizeTYPE>(library_, "fmi2SerializedFMUstateSize");
        const auto write = function<fmi2SerializeFMUstateTYPE>(library_, "fmi2SerializeFMUstate");
        std::size_t count = 0;
        if (size == nullptr || write == nullptr || !fine(size(component_, state, &count))) return false;
        bytes.resize(count);
        return fine(write(component_, state, bytes.data(), count));
    }
    bool deserialize(const std::vector<char>& bytes, State& state) {
        const auto read = function<fmi2DeSerializeFMUstateTYPE>(library_, "fmi2DeSerializeFMUstate");
        return read != nullptr && fine(read(component_, bytes.data(), bytes.size(), &state));
    }
    bool derivative(double& value) {
        const auto get = function<fmi2GetDirectionalDerivativeTYPE>(library_, "fmi2GetDirectionalDerivative");
        const double one = 1;
        return get != nullptr &&
               fine(get(component_, request_.unknown.data(), 1, request_.known.data(), 1, &one, &value));
    }
    /// Only in model exchange may an output be read after an input was set.
    bool difference(double& value) {
        const auto get = function<fmi2GetRealTYPE>(library_, "fmi2GetReal");
        const auto set = function<fmi2SetRealTYPE>(library_, "fmi2SetReal");
        if (!request_.model_exchange || !request_.movable || get == nullptr || set == nullptr) return false;
        double input = 0, low = 0, high = 0;
        if (!fine(get(component_, request_.known.data(), 1, &input))) return false;
        const double delta = 1e-6 * std::max(std::abs(input), 1.0);
        const auto at = [&](double known, double& unknown) {
            return fine(set(component_, request_.known.data(), 1, &known)) &&
                   fine(get(component_, request_.unknown.data(), 1, &unknown));
        };
        const bool read = at(input - delta, low) && at(input + delta, high);
        const bool back = fine(set(component_, request_.known.data(), 1, &input));
        value = (high - low) / (2 * delta);
        return read && back;
    }

private:
    bool settle() {
        const auto update = function<fmi2NewDiscreteStatesTYPE>(library_, "fmi2NewDiscreteStates");
        const auto leave = function<fmi2EnterContinuousTimeModeTYPE>(library_, "fmi2EnterContinuousTimeMode");
        if (update == nullptr || leave == nullptr) return false;
        fmi2EventInfo info{};
        info.newDiscreteStatesNeeded = fmi2True;
        for (int i = 0; i < 100 && info.newDiscreteStatesNeeded != fmi2False; ++i) {
            if (!fine(update(component_, &info))) return false;
        }
        return fine(leave(component_));
    }
    bool one_step() {
        const double from = time_;
        time_ += request_.step;
        if (request_.model_exchange) return euler(from);
        const auto step = function<fmi2DoStepTYPE>(library_, "fmi2DoStep");
        return step != nullptr && fine(step(component_, from, request_.step, fmi2False));
    }
    bool euler(double from) {
        const auto set_time = function<fmi2SetTimeTYPE>(library_, "fmi2SetTime");
        const auto get = function<fmi2GetContinuousStatesTYPE>(library_, "fmi2GetContinuousStates");
        const auto rates = function<fmi2GetDerivativesTYPE>(library_, "fmi2GetDerivatives");
        const auto set = function<fmi2SetContinuousStatesTYPE>(library_, "fmi2SetContinuousStates");
        if (set_time == nullptr || !fine(set_time(component_, from))) return false;
        std::vector<double> x(request_.states), slope(request_.states);
        if (!x.empty()) {
            if (get == nullptr || rates == nullptr || set == nullptr) return false;
            if (!fine(get(component_, x.data(), x.size())) || !fine(rates(component_, slope.data(), x.size())))
                return false;
        }
        if (!fine(set_time(component_, time_))) return false;
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += request_.step * slope[i];
        return x.empty() || fine(set(component_, x.data(), x.size()));
    }

    const Request& request_;
    void* library_;
    fmi2Component component_;
    double time_, saved_time_ = 0;
};

}  // namespace

int try_fmi2(const Request& request, void* library, const Answers& answers) {
    const auto instantiate = function<fmi2InstantiateTYPE>(library, "fmi2Instantiate");
    if (instantiate == nullptr) {
        answers.say("error", "the library lacks fmi2Instantiate");
        return 2;
    }
    answers.stage("instantiation");
    const fmi2CallbackFunctions callbacks{keep, std::calloc, std::free, nullptr, nullptr};
    const fmi2Component component =
        instantiate("probe", request.model_exchange ? fmi2ModelExchange : fmi2CoSimulation, request.token.c_str(),
                    request.resources.c_str(), &callbacks, fmi2False, fmi2True);
    if (component == nullptr) {
        answers.say("error", "it cannot be instantiated" + kept_message());
        return 2;
    }
    answers.say("instantiate", "works");
    answers.stage("initialisation");
    Unit2 unit(request, library, component);
    if (!unit.initialize()) {
        answers.say("initialize", "fails with its start values" + kept_message());
        return 0;
    }
    answers.say("initialize", "works");
    try_abilities(unit, request, answers);
    return 0;
}

}  // namespace probe
