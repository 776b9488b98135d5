#pragma once

#include "master/core/step_interval.hpp"
#include "master/core/unit.hpp"

#include <atomic>
#include <cstdint>
#include <limits>

namespace master::core {

/// A unit's own threads may ask for the time that its outputs belong to when they log.
inline void show(base::Time& visible, base::Time t) {
    std::atomic_ref(visible.ticks).store(t.ticks, std::memory_order_relaxed);
}

/// The short way through a plain step, for units that exchange nothing but doubles: what three calls need, without the
/// unit around it. It lies in the unit's node, side by side with those of the other units, so that a step of many small
/// units stays in the cache. A unit fills it in `offer_fast_path` and says in `update_fast_path` until when a step is a
/// plain one.
struct FastPath {
    using Function = void (*)();

    // What a step of many small units touches comes first.
    /// `write`, `step`, and after a plain step `show` and `read`. Null where one of them is.
    bool (*exchange_and_step)(const FastPath&, const StepInterval&, base::Time& visible, StepResult& result) = nullptr;
    double plain_until = -std::numeric_limits<double>::infinity();  // only steps that end before it are plain ones
    void* instance = nullptr;
    Function set = nullptr, advance = nullptr, get = nullptr;
    const double* inputs = nullptr;
    double* outputs = nullptr;
    const std::uint32_t* input_references = nullptr;
    const std::uint32_t* output_references = nullptr;
    std::uint32_t input_reference_count = 0, output_reference_count = 0;
    std::uint32_t input_count = 0, output_count = 0;  // elements
    bool no_restore = true;                           // no state was saved: the FMU may forget what lies behind

    void (*write)(const FastPath&) = nullptr;  // null: ask the unit
    /// True when there is nothing to tell; else `result` does.
    bool (*step)(const FastPath&, const StepInterval&, StepResult& result) = nullptr;
    void (*read)(const FastPath&) = nullptr;  // null: ask the unit
    Unit* unit = nullptr;
};

}  // namespace master::core
