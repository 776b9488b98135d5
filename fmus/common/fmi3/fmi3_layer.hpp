#pragma once

#include "fmus/common/state/guard.hpp"
#include "interfaces/fmi/fmi3.h"

#include <functional>
#include <utility>

/// An entry point of the FMI 3.0 C interface: the only symbols a unit exports.
#define FMI3_EXPORT extern "C" __attribute__((visibility("default")))

namespace fmus::fmi3 {

inline constexpr Modes model_exchange_modes =
    Mode::initialization | Mode::event | Modes(Mode::continuous_time) | Mode::terminated;

template <class Body>
[[nodiscard]] fmi3Status call(fmi3Instance handle, Call facts, Body body) noexcept {
    return static_cast<fmi3Status>(
        guard(static_cast<Instance*>(handle), facts, [&](Instance& instance) { std::invoke(body, instance); }));
}

}  // namespace fmus::fmi3
