#pragma once

#include "master/base/time.hpp"
#include "master/core/unit.hpp"

#include <atomic>
#include <cstdint>
#include <limits>

namespace master::core {

/// The interval of a step, in ticks and in seconds.
struct Stretch {
    base::Time begin, end;
    double now = 0, length = 0;
    double until = 0;  // now + length
};

/// A unit's own threads may ask for the time that its outputs belong to when they log.
inline void show(base::Time& visible, base::Time t) {
    std::atomic_ref(visible.ticks).store(t.ticks, std::memory_order_relaxed);
}

/// The short way through a plain step, for units that exchange nothing but doubles: what three calls need, without the
/// unit around it. It lies in the unit's node, side by side with those of the other units, so that a step of many small
/// units stays in the cache; a unit fills it in `shorten` and says with `attention` until when a step is a plain one.
struct Quick {
    using Function = void (*)();

    // What a step of many small units touches comes first.
    /// `write`, `step`, and after a plain step `show` and `read`. Null where one of them is.
    bool (*whole)(const Quick&, const Stretch&, base::Time& visible, StepResult& result) = nullptr;
    double attention = -std::numeric_limits<double>::infinity();
    void* instance = nullptr;
    Function set = nullptr, advance = nullptr, get = nullptr;
    const double* inputs = nullptr;
    double* outputs = nullptr;
    const std::uint32_t* input_references = nullptr;
    const std::uint32_t* output_references = nullptr;
    std::uint32_t input_reference_count = 0, output_reference_count = 0;
    std::uint32_t input_count = 0, output_count = 0;  // elements
    bool no_restore = true;                           // no state was saved: the FMU may forget what lies behind

    void (*write)(const Quick&) = nullptr;  // null: ask the unit
    /// For steps that end before `attention`. True when there is nothing to tell; else `result` does.
    bool (*step)(const Quick&, const Stretch&, StepResult& result) = nullptr;
    void (*read)(const Quick&) = nullptr;  // null: ask the unit
    Unit* unit = nullptr;
};

}  // namespace master::core
