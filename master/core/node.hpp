#pragma once

#include "master/base/time.hpp"
#include "master/core/fast_path.hpp"
#include "master/core/plan.hpp"
#include "master/core/signals.hpp"
#include "master/core/unit.hpp"
#include "master/core/wiring.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>

namespace master::core {

inline constexpr std::size_t cache_line = 64;

/// One participant of a run: its unit, its slices, and where its step stands.
struct alignas(cache_line) Node {
    // What every step touches comes first, in two cache lines.
    base::Time visible;     // the time that the unit's outputs, as the system shows them, belong to
    base::Time begin, end;  // of the step under way, or of the last one
    FastPath fast;
    StepResult result;              // of the last step that was no plain one
    Slice<CompensatedWire> usual;   // the usual kind of its incoming wires
    bool has_other_wires = false;   // of the kinds in `wires`
    bool clock_limited = false;     // shares clocks with others: its steps end at clock ticks
    bool leaves_grid = false;       // its steps may end between two points of its grid
    bool has_event_or_end = false;  // the last step brought an event or the end: see `result`
    std::unique_ptr<Unit> unit;
    Block output_block;
    ConstBlock input_block;
    base::Duration period;
    OtherWires wires;
    std::array<std::uint32_t, type_count> input_base{}, output_base{};
    EventUnit* events = nullptr;
    std::string name;
    Layout inputs, outputs;
    Values not_taken;  // what the unit has in place of start values that it was given, or that its description states
    const PlannedUnit* planned = nullptr;
};

}  // namespace master::core
