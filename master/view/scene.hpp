#pragma once

#include "master/base/diagnostics.hpp"
#include "master/build/simulation.hpp"
#include "master/runs/taps/can_buses.hpp"
#include "master/view/channel.hpp"
#include "master/view/view_file.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace master::view {

/// Where the values lie that a view shows, in the order of system.json: what the tap of a run gathers.
struct Scene {
    struct Scalar {
        core::SignalRef signal;
        double gain = 1, offset = 0;  // shown = gain * value + offset
    };
    struct Array {
        core::SignalRef first;
        std::uint32_t size = 0;
        bool fast = false;  // comes with every state
    };
    struct Cloud {
        core::SignalRef points;
        std::optional<core::SignalRef> pose;  // of the sensor: seven reals
    };
    struct Input {
        std::string name;
        std::uint32_t signal = 0;  // index among `scalars`
        std::vector<build::LocatedSignal> targets;
    };
    std::vector<Scalar> scalars;
    std::vector<Array> arrays;
    std::optional<Cloud> cloud;
    std::vector<Input> inputs;  // in the order of their signals
    std::vector<runs::CanBus> buses;
};

struct MadeScene {
    Scene scene;
    Catalogue catalogue;
};

/// What a view of an initialised simulation shows. Files that are missing are told and left out.
[[nodiscard]] MadeScene make_scene(build::Simulation& simulation, const ViewFile& view, std::uint32_t run,
                                   base::Diagnostics& diagnostics);

}  // namespace master::view
