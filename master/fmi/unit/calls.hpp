#pragma once

#include "interfaces/fmi/fmi2.h"
#include "interfaces/fmi/fmi3.h"
#include "master/core/step_interval.hpp"
#include "master/fmi/description/model_description.hpp"
#include "master/fmi/library/function.hpp"
#include "master/fmi/library/library.hpp"

#include <cstddef>
#include <string_view>

namespace master::fmi {

/// Statuses have the same numbers in FMI 2 and FMI 3; `pending` is FMI 2 only.
enum Status : int { ok = 0, warning = 1, discard = 2, error = 3, fatal = 4, pending = 5 };

/// A function of a type that is known only when it is called.
struct NumberedFunction {
    AnyFunction call = nullptr;
    std::uint32_t number = 0;  // see `function_number`
};

/// The thin layer where FMI 2 differs from FMI 3; everything above it is written once, for either.
struct Calls2 {
    using Instance = fmi2Component;
    using Result = fmi2Status;
    using Reference = fmi2ValueReference;
    using Boolean = fmi2Boolean;
    using State = fmi2FMUstate;
    /// How one call of fmi2DoStep ended.
    struct StepAnswer {
        int status = Status::ok;
    };
    static constexpr Version version = Version::fmi2;
    static constexpr std::string_view prefix = "fmi2";
    static constexpr std::uint32_t set_reals = known_function("SetReal"), do_step_number = known_function("DoStep"),
                                   get_reals = known_function("GetReal");
    static constexpr std::string_view state = "FMUstate";

    /// "Real" of fmi2GetReal; empty when FMI 2 has no such type.
    [[nodiscard]] static constexpr std::string_view type_name(Native native) {
        if (native == Native::float64) return "Real";
        if (native == Native::int32) return "Integer";
        if (native == Native::boolean) return "Boolean";
        return native == Native::string ? "String" : "";
    }

    /// True after a plain step to `until`; else the answer says what was not.
    [[nodiscard]] static bool step_plainly(AnyFunction function, Instance instance, const core::StepInterval& step,
                                           bool no_restore, StepAnswer& answer) {
        answer.status = reinterpret_cast<fmi2DoStepTYPE*>(function)(instance, step.now, step.length, no_restore);
        return answer.status == Status::ok;
    }
    template <class T>
    using Get = fmi2Status(Instance, const Reference*, std::size_t, T*);
    template <class T>
    using Set = fmi2Status(Instance, const Reference*, std::size_t, const T*);
    template <class T>
    [[nodiscard]] static int get(const NumberedFunction& function, Instance instance, const Reference* references,
                                 std::size_t count, T* values, std::size_t /*elements*/) {
        return base::call_watched(function.number, reinterpret_cast<Get<T>*>(function.call), instance, references,
                                  count, values);
    }
    template <class T>
    [[nodiscard]] static int set(const NumberedFunction& function, Instance instance, const Reference* references,
                                 std::size_t count, const T* values, std::size_t /*elements*/) {
        return base::call_watched(function.number, reinterpret_cast<Set<T>*>(function.call), instance, references,
                                  count, values);
    }
    [[nodiscard]] static int get_plainly(AnyFunction function, Instance instance, const Reference* references,
                                         std::size_t count, double* values, std::size_t /*elements*/) {
        return reinterpret_cast<Get<double>*>(function)(instance, references, count, values);
    }
    [[nodiscard]] static int set_plainly(AnyFunction function, Instance instance, const Reference* references,
                                         std::size_t count, const double* values, std::size_t /*elements*/) {
        return reinterpret_cast<Set<double>*>(function)(instance, references, count, values);
    }
};

struct Calls3 {
    using Instance = fmi3Instance;
    using Result = fmi3Status;
    using Reference = fmi3ValueReference;
    using Boolean = fmi3Boolean;
    using State = fmi3FMUState;
    /// How one call of fmi3DoStep ended.
    struct StepAnswer {
        int status = Status::ok;
        bool event = false, terminate = false, early = false;
        double last = 0;  // s, how far it got
    };
    static constexpr Version version = Version::fmi3;
    static constexpr std::string_view prefix = "fmi3";
    static constexpr std::uint32_t set_reals = known_function("SetFloat64") | fmi3_function,
                                   do_step_number = known_function("DoStep") | fmi3_function,
                                   get_reals = known_function("GetFloat64") | fmi3_function;
    static constexpr std::string_view state = "FMUState";

    [[nodiscard]] static constexpr std::string_view type_name(Native native) {
        constexpr std::string_view names[] = {"Float32", "Float64", "Int8",   "UInt8",   "Int16",  "UInt16", "Int32",
                                              "UInt32",  "Int64",   "UInt64", "Boolean", "String", "Binary", "Clock"};
        return names[static_cast<std::size_t>(native)];
    }

    [[nodiscard]] static bool step_plainly(AnyFunction function, Instance instance, const core::StepInterval& step,
                                           bool no_restore, StepAnswer& answer) {
        answer = {.last = step.until};
        answer.status = reinterpret_cast<fmi3DoStepTYPE*>(function)(
            instance, step.now, step.length, no_restore, &answer.event, &answer.terminate, &answer.early, &answer.last);
        return answer.last == step.until && !answer.event && !answer.terminate && !answer.early &&
               answer.status == Status::ok;
    }
    template <class T>
    using Get = fmi3Status(Instance, const Reference*, std::size_t, T*, std::size_t);
    template <class T>
    using Set = fmi3Status(Instance, const Reference*, std::size_t, const T*, std::size_t);
    template <class T>
    [[nodiscard]] static int get(const NumberedFunction& function, Instance instance, const Reference* references,
                                 std::size_t count, T* values, std::size_t elements) {
        return base::call_watched(function.number, reinterpret_cast<Get<T>*>(function.call), instance, references,
                                  count, values, elements);
    }
    template <class T>
    [[nodiscard]] static int set(const NumberedFunction& function, Instance instance, const Reference* references,
                                 std::size_t count, const T* values, std::size_t elements) {
        return base::call_watched(function.number, reinterpret_cast<Set<T>*>(function.call), instance, references,
                                  count, values, elements);
    }
    [[nodiscard]] static int get_plainly(AnyFunction function, Instance instance, const Reference* references,
                                         std::size_t count, double* values, std::size_t elements) {
        return reinterpret_cast<Get<double>*>(function)(instance, references, count, values, elements);
    }
    [[nodiscard]] static int set_plainly(AnyFunction function, Instance instance, const Reference* references,
                                         std::size_t count, const double* values, std::size_t elements) {
        return reinterpret_cast<Set<double>*>(function)(instance, references, count, values, elements);
    }
};

}  // namespace master::fmi
