#pragma once

#include "fmus/can/common/port.hpp"
#include "interfaces/can/frame.hpp"
#include "interfaces/can_bus/fault_confinement.hpp"

#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

namespace fmus::can {

using interfaces::can::Frame;

/// One CAN controller as FMI-LS-BUS sees it. Its device gives it frames and gets frames from it; the operations are its
/// own business. Without notifications a frame is on its way as soon as it is given. With them the controller hands one
/// frame to the bus at a time, waits for its confirmation, and keeps error counters.
class Node {
public:
    struct Parameters {
        std::uint32_t bit_rate = 250'000, data_bit_rate = 0;  // bit/s; 0: as the bus has it
        bool notifications = false;                           // the bus confirms
    } parameters;
    struct Counters {
        std::uint64_t sent = 0, received = 0, lost = 0;
    } counters;
    Port port;

    static constexpr std::size_t queue_depth = 256;

    /// Forgets everything and tells the bus what this controller is.
    void start();
    /// Queues a frame; one that finds no room is lost and counted.
    void send(const Frame& frame);
    /// Takes what came and gives the frames among it to `receive`.
    template <class Receive>
    void update(Nanoseconds now, Receive receive) {
        port.update([&](const interfaces::ls_bus::Operation& operation) {
            if (const Frame* frame = take(operation, now)) receive(*frame);
        });
        recover(now);
        pump();
    }
    /// The clock ticks next when the device or the controller itself has something to do.
    void announce(Nanoseconds now, std::optional<Nanoseconds> next);

    [[nodiscard]] interfaces::can_bus::ErrorState state() const { return told_; }
    auto members() { return std::tie(parameters, counters, port, queue_, in_flight_, errors_, told_, back_); }

private:
    [[nodiscard]] const Frame* take(const interfaces::ls_bus::Operation& operation, Nanoseconds now);
    void concluded(std::uint32_t id, bool through);
    void pump();
    void tell_state(Nanoseconds now);
    void recover(Nanoseconds now);

    std::vector<Frame> queue_;
    bool in_flight_ = false;
    interfaces::can_bus::ErrorCounters errors_;
    interfaces::can_bus::ErrorState told_ = interfaces::can_bus::ErrorState::active;  // what the bus knows
    std::optional<Nanoseconds> back_;  // when a controller that is off may send again
};

}  // namespace fmus::can
