#pragma once

#include "interfaces/can/frame.hpp"
#include "master/core/signals.hpp"
#include "master/runs/taps/can_buses.hpp"

#include <span>
#include <vector>

namespace master::runs {

struct SeenFrame {
    interfaces::can::Frame frame;
    bool sent = false;  // to a bus outside
};

/// What came over a bus in an event iteration: each frame once, in their order. Has room for all from the beginning.
class CanFrames {
public:
    static constexpr std::size_t most_at_once = 256;  // 2048 bytes of operations hold no more

    CanFrames();

    /// Valid until the next call.
    [[nodiscard]] std::span<const SeenFrame> take(const CanBus& bus, const core::Signals& signals);

private:
    void take_once(const CanSource& source, const core::Signals& signals);

    std::vector<SeenFrame> taken_;
};

}  // namespace master::runs
