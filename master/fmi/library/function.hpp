#pragma once

#include "master/base/call_slot.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace master::fmi {

/// A function of an FMU before its type is known; cast back to that type for the call.
using AnyFunction = void (*)();

/// Every function that is called in an FMU has a number, by which a watching process knows it (see `base::CallSlot`).
/// Numbers of FMI 3 have a bit of their own; 0 stands for none.
inline constexpr std::uint32_t fmi3_function = 0x100;
inline constexpr std::string_view function_names[] = {
    "",  // sorted from here on
    "ActivateModelPartition",
    "CompletedIntegratorStep",
    "DeSerializeFMUState",
    "DeSerializeFMUstate",
    "DoStep",
    "EnterConfigurationMode",
    "EnterContinuousTimeMode",
    "EnterEventMode",
    "EnterInitializationMode",
    "EnterStepMode",
    "ExitConfigurationMode",
    "ExitInitializationMode",
    "FreeFMUState",
    "FreeFMUstate",
    "FreeInstance",
    "GetBinary",
    "GetBoolean",
    "GetBooleanStatus",
    "GetClock",
    "GetContinuousStateDerivatives",
    "GetContinuousStates",
    "GetDerivatives",
    "GetEventIndicators",
    "GetFMUState",
    "GetFMUstate",
    "GetFloat32",
    "GetFloat64",
    "GetInt16",
    "GetInt32",
    "GetInt64",
    "GetInt8",
    "GetInteger",
    "GetIntervalDecimal",
    "GetIntervalFraction",
    "GetNominalsOfContinuousStates",
    "GetNumberOfContinuousStates",
    "GetNumberOfEventIndicators",
    "GetReal",
    "GetRealStatus",
    "GetShiftDecimal",
    "GetStatus",
    "GetString",
    "GetUInt16",
    "GetUInt32",
    "GetUInt64",
    "GetUInt8",
    "Instantiate",
    "InstantiateCoSimulation",
    "InstantiateModelExchange",
    "NewDiscreteStates",
    "SetBinary",
    "SetBoolean",
    "SetClock",
    "SetContinuousStates",
    "SetDebugLogging",
    "SetFMUState",
    "SetFMUstate",
    "SetFloat32",
    "SetFloat64",
    "SetInt16",
    "SetInt32",
    "SetInt64",
    "SetInt8",
    "SetInteger",
    "SetReal",
    "SetRealInputDerivatives",
    "SetString",
    "SetTime",
    "SetUInt16",
    "SetUInt32",
    "SetUInt64",
    "SetUInt8",
    "SetupExperiment",
    "Terminate",
    "UpdateDiscreteStates",
    "dlclose",
    "dlopen",
};

/// By the name without its prefix; a name that is not in the list has the number of an unnamed call.
[[nodiscard]] std::uint32_t function_number(std::string_view name);
/// "fmi2DoStep"; "a call" for a number that stands for no function.
[[nodiscard]] std::string function_name(std::uint32_t number);

/// The same as `function_number` of a name in two parts, at compile time.
[[nodiscard]] consteval std::uint32_t known_function(std::string_view verb, std::string_view type = "") {
    for (std::uint32_t i = 1; i < std::size(function_names); ++i) {
        const std::string_view name = function_names[i];
        if (name.size() == verb.size() + type.size() && name.starts_with(verb) && name.ends_with(type)) return i;
    }
    throw "no such function";
}

template <class Type>
class Function;

/// A function of an FMU that says when it is called.
template <class Result, class Object, class... Arguments>
class Function<Result(Object, Arguments...)> {
public:
    using Pointer = Result (*)(Object, Arguments...);

    Function() = default;
    Function(AnyFunction function, std::uint32_t number)
        : function_(reinterpret_cast<Pointer>(function)), number_(number) {}

    Result operator()(Object object, Arguments... arguments) const {
        return base::call_watched(number_, function_, object, arguments...);
    }
    explicit operator bool() const { return function_ != nullptr; }
    [[nodiscard]] AnyFunction plain() const { return reinterpret_cast<AnyFunction>(function_); }

private:
    Pointer function_ = nullptr;
    std::uint32_t number_ = 0;
};

}  // namespace master::fmi
