#include "master/runs/taps/can_frames.hpp"

#include "interfaces/ls_bus/operations.hpp"

#include <algorithm>

namespace master::runs {
namespace {

/// Calls `f` with each frame that the source sends in this event iteration.
template <typename F>
void for_each_frame(const CanSource& source, const core::Signals& signals, F&& f) {
    const core::Bytes& bytes = signals.outputs.bytes[source.data.index];
    interfaces::ls_bus::Reader reader({bytes.data, bytes.size});
    while (const auto piece = reader.next()) {
        const auto operation = interfaces::ls_bus::decode(*piece);
        if (!operation) continue;
        if (const auto* transmit = std::get_if<interfaces::ls_bus::Transmit>(&*operation)) f(transmit->frame);
    }
}

}  // namespace

CanFrames::CanFrames() { taken_.reserve(most_at_once); }

std::span<const SeenFrame> CanFrames::take(const CanBus& bus, const core::Signals& signals) {
    taken_.clear();
    for (const CanSource& source : bus.sources) {
        if (signals.outputs.clocks[source.clock.index] == 0) continue;
        if (bus.repeats)
            take_once(source, signals);
        else
            for_each_frame(source, signals, [&](const interfaces::can::Frame& frame) {
                taken_.push_back({frame, source.sent});
            });
    }
    return taken_;
}

/// Each node is told of all frames but its own, in their order: what others were told already is found again, and what
/// is new stands before the next one that is not.
void CanFrames::take_once(const CanSource& source, const core::Signals& signals) {
    auto place = taken_.begin();
    for_each_frame(source, signals, [&](const interfaces::can::Frame& frame) {
        const auto known =
            std::find_if(place, taken_.end(), [&](const SeenFrame& seen) { return seen.frame == frame; });
        place = (known != taken_.end() ? known : taken_.insert(place, {frame, false})) + 1;
    });
}

}  // namespace master::runs
