#pragma once

#include "interfaces/fmi/fmi3.h"
#include "tests/support/built_fmu.hpp"

#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace tests {

struct Fmi3Options {
    bool event_mode = false, early_return = false, model_exchange = false;
    std::vector<fmi3ValueReference> intermediate = {};
    std::function<void(double)> set_inputs = {};
};

/// An FMI 3 instance driven by hand.
class Fmi3Unit {
public:
    explicit Fmi3Unit(const std::string& name, Fmi3Options options = {})
        : Fmi3Unit(name, std::move(options), BuiltFmu(built_folder(name, 3), name, 3).token()) {}
    Fmi3Unit(const std::string& name, Fmi3Options options, const std::string& token)
        : fmu_(built_folder(name, 3), name, 3), options_(std::move(options)) {
        const std::string resources = fmu_.resources();
        if (options_.model_exchange) {
            instance_ = call<fmi3InstantiateModelExchangeTYPE>("fmi3InstantiateModelExchange")(
                name.c_str(), token.c_str(), resources.c_str(), false, true, this, log);
            return;
        }
        instance_ = call<fmi3InstantiateCoSimulationTYPE>("fmi3InstantiateCoSimulation")(
            name.c_str(), token.c_str(), resources.c_str(), false, true, options_.event_mode, options_.early_return,
            options_.intermediate.data(), options_.intermediate.size(), this, log,
            options_.set_inputs ? intermediate_update : nullptr);
    }
    ~Fmi3Unit() {
        if (instance_ != nullptr) call<fmi3FreeInstanceTYPE>("fmi3FreeInstance")(instance_);
    }
    Fmi3Unit(const Fmi3Unit&) = delete;
    Fmi3Unit& operator=(const Fmi3Unit&) = delete;

    [[nodiscard]] const BuiltFmu& fmu() const { return fmu_; }
    [[nodiscard]] fmi3Instance instance() const { return instance_; }
    [[nodiscard]] const std::vector<std::string>& messages() const { return messages_; }
    template <class Function>
    [[nodiscard]] Function* call(const char* name) const {
        return fmu_.function<Function>(name);
    }
    /// A function of the instance alone.
    fmi3Status operator()(const char* name) const { return call<fmi3Status(fmi3Instance)>(name)(instance_); }

    fmi3Status enter_initialization(double start = 0) const {
        return call<fmi3EnterInitializationModeTYPE>("fmi3EnterInitializationMode")(instance_, false, 0, start, false,
                                                                                    0);
    }
    fmi3Status initialize(double start = 0) const {
        const fmi3Status entered = enter_initialization(start);
        return entered == fmi3OK ? (*this)("fmi3ExitInitializationMode") : entered;
    }
    struct Step {
        fmi3Status status = fmi3OK;
        bool event = false, terminate = false, early = false;
        double reached = 0;
    };
    [[nodiscard]] Step step(double t, double h) const {
        Step result;
        result.status = call<fmi3DoStepTYPE>("fmi3DoStep")(instance_, t, h, true, &result.event, &result.terminate,
                                                           &result.early, &result.reached);
        return result;
    }
    struct Update {
        fmi3Status status = fmi3OK;
        bool again = false, terminate = false, nominals = false, states = false, timed = false;
        double next = 0;
    };
    [[nodiscard]] Update update_discrete() const {
        Update result;
        result.status = call<fmi3UpdateDiscreteStatesTYPE>("fmi3UpdateDiscreteStates")(
            instance_, &result.again, &result.terminate, &result.nominals, &result.states, &result.timed, &result.next);
        return result;
    }
    fmi3Status set(const std::string& name, double value) const { return set(fmu_[name].reference, value); }
    fmi3Status set(fmi3ValueReference reference, double value) const {
        return call<fmi3SetFloat64TYPE>("fmi3SetFloat64")(instance_, &reference, 1, &value, 1);
    }
    [[nodiscard]] double get(const std::string& name) const {
        const fmi3ValueReference reference = fmu_[name].reference;
        double value = 0;
        if (call<fmi3GetFloat64TYPE>("fmi3GetFloat64")(instance_, &reference, 1, &value, 1) != fmi3OK)
            throw std::runtime_error("cannot get " + name);
        return value;
    }
    /// The bytes of every variable but clocks.
    [[nodiscard]] std::string values() const;

private:
    template <class T, class Function>
    void append(std::string& text, const BuiltFmu::Variable& variable, const char* function) const {
        std::vector<std::uint8_t> buffer(variable.count * sizeof(T));
        const fmi3ValueReference reference = variable.reference;
        if (call<Function>(function)(instance_, &reference, 1, reinterpret_cast<T*>(buffer.data()), variable.count) !=
            fmi3OK)
            throw std::runtime_error("cannot get " + variable.name);
        text.append(buffer.begin(), buffer.end());
    }
    static void log(fmi3InstanceEnvironment self, fmi3Status, fmi3String, fmi3String message) {
        static_cast<Fmi3Unit*>(self)->messages_.emplace_back(message);
    }
    static void intermediate_update(fmi3InstanceEnvironment self, double t, bool set_requested, bool, bool, bool, bool*,
                                    double*) {
        if (set_requested) static_cast<Fmi3Unit*>(self)->options_.set_inputs(t);
    }

    BuiltFmu fmu_;
    Fmi3Options options_;
    fmi3Instance instance_ = nullptr;
    std::vector<std::string> messages_;
};

inline std::string Fmi3Unit::values() const {
    std::string text;
    for (const BuiltFmu::Variable& variable : fmu_.variables()) {
        const std::string& type = variable.type;
        if (type == "Float64") append<fmi3Float64, fmi3GetFloat64TYPE>(text, variable, "fmi3GetFloat64");
        if (type == "Float32") append<fmi3Float32, fmi3GetFloat32TYPE>(text, variable, "fmi3GetFloat32");
        if (type == "Int8") append<fmi3Int8, fmi3GetInt8TYPE>(text, variable, "fmi3GetInt8");
        if (type == "UInt8") append<fmi3UInt8, fmi3GetUInt8TYPE>(text, variable, "fmi3GetUInt8");
        if (type == "Int16") append<fmi3Int16, fmi3GetInt16TYPE>(text, variable, "fmi3GetInt16");
        if (type == "UInt16") append<fmi3UInt16, fmi3GetUInt16TYPE>(text, variable, "fmi3GetUInt16");
        if (type == "Int32") append<fmi3Int32, fmi3GetInt32TYPE>(text, variable, "fmi3GetInt32");
        if (type == "UInt32") append<fmi3UInt32, fmi3GetUInt32TYPE>(text, variable, "fmi3GetUInt32");
        if (type == "Int64" || type == "Enumeration")
            append<fmi3Int64, fmi3GetInt64TYPE>(text, variable, "fmi3GetInt64");
        if (type == "UInt64") append<fmi3UInt64, fmi3GetUInt64TYPE>(text, variable, "fmi3GetUInt64");
        if (type == "Boolean") append<fmi3Boolean, fmi3GetBooleanTYPE>(text, variable, "fmi3GetBoolean");
        if (type == "String") {
            fmi3String value = nullptr;
            const fmi3ValueReference reference = variable.reference;
            call<fmi3GetStringTYPE>("fmi3GetString")(instance_, &reference, 1, &value, 1);
            text.append(value);
        }
        if (type == "Binary") {
            fmi3Binary value = nullptr;
            std::size_t size = 0;
            const fmi3ValueReference reference = variable.reference;
            call<fmi3GetBinaryTYPE>("fmi3GetBinary")(instance_, &reference, 1, &size, &value, 1);
            text.append(value, value + size);
        }
    }
    return text;
}

}  // namespace tests
