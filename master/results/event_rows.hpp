#pragma once

#include "master/core/system.hpp"
#include "master/core/tap.hpp"
#include "master/results/column.hpp"

#include <memory>
#include <span>

namespace master::results {

/// A recorder that also gets the values on both sides of every event, as two rows of equal time: at a communication
/// point, and inside the steps of units that handle events by themselves (the values of all others are held there). An
/// event inside the step of a unit that is slower than the rows has none: its outputs are not visible yet.
[[nodiscard]] std::unique_ptr<core::Tap> with_event_rows(std::unique_ptr<core::Tap> recorder,
                                                         std::span<const Column> columns, core::System& system);

}  // namespace master::results
