#pragma once

#include "master/build/requests/signal_request.hpp"
#include "master/core/system.hpp"

namespace master::analysis {

/// What is wrong with a real output: it is gain * value + offset, and late.
struct Fault {
    double gain = 1, offset = 0;
    base::Duration delay = {};
};

/// Puts the fault into the unit that gives the output, in a system that stands at its start.
void seed(core::System& system, const build::LocatedSignal& output, std::uint32_t element, const Fault& fault);

}  // namespace master::analysis
