#pragma once

#include "master/time.hpp"
#include "master/unit.hpp"

#include <atomic>
#include <cstdint>
#include <limits>

namespace master {

/// The interval of a step, in ticks and in seconds.
struct Stretch {
    Time begin, end;
    double now = 0, length = 0;
    double until = 0;  // now + length
};

/// Where a unit's last step led.
struct Standing {
    Time visible;       // the time that the unit's outputs, as the system shows them, belong to
    StepResult result;  // of the last step that was no plain one
};

/// A unit's own threads may ask for this time when they log.
inline void show(Standing& standing, Time t) {
    std::atomic_ref(standing.visible.ticks).store(t.ticks, std::memory_order_relaxed);
}

/// The short way through a plain step, for units that exchange nothing but doubles: what three calls need, without the
/// unit around it. It lies in the unit's node, side by side with those of the other units, so that a step of many small
/// units stays in the cache; a unit fills it in `shorten` and says with `attention` until when a step is a plain one.
struct Quick {
    using Function = void (*)();

    void (*write)(const Quick&) = nullptr;  // null: ask the unit
    /// For steps that end before `attention`. True when there is nothing to tell; else `result` does.
    bool (*step)(const Quick&, const Stretch&, StepResult& result) = nullptr;
    void (*read)(const Quick&) = nullptr;  // null: ask the unit
    /// `step`, and after a plain one `read`. Null where either is.
    bool (*step_and_read)(const Quick&, const Stretch&, Standing&) = nullptr;
    double attention = -std::numeric_limits<double>::infinity();
    const double* inputs = nullptr;
    double* outputs = nullptr;
    void* instance = nullptr;
    Function set = nullptr, advance = nullptr, get = nullptr;
    const std::uint32_t* input_references = nullptr;
    const std::uint32_t* output_references = nullptr;
    std::uint32_t input_reference_count = 0, output_reference_count = 0;
    std::uint32_t input_count = 0, output_count = 0;  // elements
    bool no_restore = true;                           // no state was saved: the FMU may forget what lies behind
    Unit* unit = nullptr;
};

}  // namespace master
