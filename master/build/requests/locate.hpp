#pragma once

#include "master/core/signal_ref.hpp"
#include "master/core/system.hpp"

#include <cstdint>
#include <optional>

namespace master::build {

/// Where a variable of a unit lies among the inputs of the system, its first element of an array; nothing where it is
/// no input that the system writes.
[[nodiscard]] std::optional<core::SignalRef> input_signal(const core::Node& node, std::uint32_t variable);

/// The same among the outputs; nothing where nobody reads it from the unit.
[[nodiscard]] std::optional<core::SignalRef> output_signal(const core::Node& node, std::uint32_t variable);

}  // namespace master::build
