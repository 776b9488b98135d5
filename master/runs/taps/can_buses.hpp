#pragma once

#include "master/build/simulation.hpp"
#include "master/core/signal_ref.hpp"

#include <string>
#include <vector>

namespace master::runs {

/// CAN frames of one unit, as FMI-LS-BUS has them: new ones are there when the clock ticks.
struct CanSource {
    core::SignalRef data, clock;
    bool sent = false;  // to a bus outside
};

/// A CAN bus of a system.
struct CanBus {
    std::string name;  // without blanks
    /// The bus simulation tells each of its nodes what came over the bus: each frame is there several times.
    bool repeats = false;
    std::vector<CanSource> sources;
};

/// The buses that wires make: one for each bus simulation, which knows when a frame was on the bus, and one for each
/// two units that are connected with each other.
[[nodiscard]] std::vector<CanBus> can_buses(const build::Simulation& simulation);

}  // namespace master::runs
