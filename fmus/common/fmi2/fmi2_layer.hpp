#pragma once

#include "fmus/common/declaring/values.hpp"
#include "fmus/common/state/guard.hpp"
#include "interfaces/fmi/fmi2.h"

#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

/// An entry point of the FMI 2.0 C interface: the only symbols a unit exports.
#define FMI2_EXPORT extern "C" __attribute__((visibility("default")))

namespace fmus::fmi2 {

/// FMI 2 sees every variable element by element; a value reference is an index into `elements`.
struct Component {
    std::unique_ptr<Instance> instance;
    std::vector<Element> elements;
    StepEnd last_step;
    double last_time = 0;

    [[nodiscard]] const Element& element(fmi2ValueReference reference) const {
        if (reference < elements.size()) return elements[reference];
        throw std::runtime_error("unknown value reference " + std::to_string(reference) + ", known are 0 to " +
                                 std::to_string(elements.size() - 1));
    }
};

template <class Body>
[[nodiscard]] fmi2Status call(fmi2Component handle, Call facts, Body body) noexcept {
    auto* component = static_cast<Component*>(handle);
    Instance* instance = component == nullptr ? nullptr : component->instance.get();
    return static_cast<fmi2Status>(guard(instance, facts, [&](Instance& checked) {
        if constexpr (std::is_invocable_v<Body, Component&>)
            std::invoke(body, *component);
        else
            std::invoke(body, checked);
    }));
}

}  // namespace fmus::fmi2
