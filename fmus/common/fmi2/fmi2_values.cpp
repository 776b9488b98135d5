// The FMI 2.0 entry points that read and write variables: conversion between its four types and the model's.
#include "fmus/common/fmi2/fmi2_layer.hpp"

#include <limits>
#include <type_traits>

namespace {

using namespace fmus;
using namespace fmus::fmi2;

// fmi2Integer and fmi2Boolean are one C type, so the FMI 2 types need names of their own here.
struct Real {
    using Value = fmi2Real;
    static constexpr const char* name = "Real";
    template <class Stored>
    static constexpr bool holds = std::is_floating_point_v<Stored>;
    template <class Stored>
    static Value from(const Stored& stored, const Variable&) {
        return static_cast<Value>(stored);
    }
    template <class Stored>
    static Stored to(Value value, const Variable&) {
        return static_cast<Stored>(value);
    }
};

struct Integer {
    using Value = fmi2Integer;
    static constexpr const char* name = "Integer";
    template <class Stored>
    static constexpr bool holds = std::is_integral_v<Stored> && !std::is_same_v<Stored, bool>;
    template <class Stored>
    static Value from(Stored stored, const Variable& variable) {
        if (!std::in_range<Value>(stored))
            throw std::runtime_error("'" + variable.name + "' does not fit into an Integer");
        return static_cast<Value>(stored);
    }
    template <class Stored>
    static Stored to(Value value, const Variable& variable) {
        if (!std::in_range<Stored>(value))
            throw std::runtime_error("the value " + std::to_string(value) + " does not fit into '" + variable.name +
                                     "'");
        return static_cast<Stored>(value);
    }
};

struct Boolean {
    using Value = fmi2Boolean;
    static constexpr const char* name = "Boolean";
    template <class Stored>
    static constexpr bool holds = std::is_same_v<Stored, bool>;
    template <class Stored>
    static Value from(Stored stored, const Variable&) {
        return stored ? fmi2True : fmi2False;
    }
    template <class Stored>
    static Stored to(Value value, const Variable&) {
        return value != fmi2False;
    }
};

struct String {
    using Value = fmi2String;
    static constexpr const char* name = "String";
    template <class Stored>
    static constexpr bool holds = std::is_same_v<Stored, std::string>;
    template <class Stored>
    static Value from(const Stored& stored, const Variable&) {
        return stored.c_str();
    }
    template <class Stored>
    static Stored to(Value value, const Variable& variable) {
        if (value == nullptr) throw std::runtime_error("the string for '" + variable.name + "' is a null pointer");
        return value;
    }
};

/// Calls `use` with each referenced element as the model stores it; throws for one of another type.
template <class Kind, class Use>
void for_each(const Component& component, const fmi2ValueReference references[], size_t count, Use use) {
    for (size_t i = 0; i < count; ++i) {
        const Element& element = component.element(references[i]);
        const Variable& variable = component.instance->variables()[element.variable];
        with_element(variable, element.index, [&](auto& stored) {
            if constexpr (Kind::template holds<std::decay_t<decltype(stored)>>)
                use(i, variable, stored);
            else
                throw std::runtime_error("'" + variable.name + "' is no " + Kind::name);
        });
    }
}

template <class Kind>
fmi2Status get(fmi2Component handle, const char* function, const fmi2ValueReference references[], size_t count,
               typename Kind::Value values[]) {
    return call(handle, {function}, [&](Component& component) {
        component.instance->refresh();
        for_each<Kind>(component, references, count, [&](size_t i, const Variable& variable, const auto& stored) {
            values[i] = Kind::from(stored, variable);
        });
    });
}

template <class Kind>
fmi2Status set(fmi2Component handle, const char* function, const fmi2ValueReference references[], size_t count,
               const typename Kind::Value values[]) {
    return call(handle, {function}, [&](Component& component) {
        Instance& instance = *component.instance;
        for_each<Kind>(component, references, count, [&](size_t i, const Variable& variable, auto& stored) {
            using Stored = std::decay_t<decltype(stored)>;
            instance.require_settable(variable);
            require_value<Stored>(instance, variable, Kind::template to<Stored>(values[i], variable));
        });
        for_each<Kind>(component, references, count, [&](size_t i, const Variable& variable, auto& stored) {
            stored = Kind::template to<std::decay_t<decltype(stored)>>(values[i], variable);
        });
        instance.mark_changed();
    });
}

}  // namespace

#define FMI2_ACCESS(Name)                                                                                           \
    FMI2_EXPORT fmi2Status fmi2Get##Name(fmi2Component handle, const fmi2ValueReference references[], size_t count, \
                                         fmi2##Name values[]) {                                                     \
        return get<Name>(handle, "fmi2Get" #Name, references, count, values);                                       \
    }                                                                                                               \
    FMI2_EXPORT fmi2Status fmi2Set##Name(fmi2Component handle, const fmi2ValueReference references[], size_t count, \
                                         const fmi2##Name values[]) {                                               \
        return set<Name>(handle, "fmi2Set" #Name, references, count, values);                                       \
    }
FMI2_ACCESS(Real)
FMI2_ACCESS(Integer)
FMI2_ACCESS(Boolean)
FMI2_ACCESS(String)
#undef FMI2_ACCESS
