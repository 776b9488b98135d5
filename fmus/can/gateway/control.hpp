#pragma once

#include "fmus/can/gateway/gateway.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

namespace fmus::can {

/// One end of the control bus. At the controller's end a message that is late, damaged, repeated or missing, a lost
/// sensor and a controller that is off the bus stop the machine: `enable` is off and the reason is on the bus, until
/// all messages are good again and the computer says that the machine is not to move. At the computer's end they are a
/// fault of the controller for as long as they last.
class Control {
public:
    /// Why it stands, as control.dbc numbers it (StopReason).
    enum class Reason : std::uint8_t {
        none,
        wrong_checksum,
        repeated_counter,
        missing_counter,
        timeout,
        sensor_lost,
        bus_off
    };
    struct Stop {
        std::uint8_t reason = 0;    // a Reason
        std::uint32_t message = 0;  // its identifier, or the node-id of the sensor
        double time = 0;            // s, since the start
    };
    Gateway gateway;
    std::uint32_t lost_sensor = 0;  // node-id on the sensor bus; 0: none
    Stop stop;
    bool enable = false;      // as received, and off while it stands
    std::int64_t status = 0;  // of the controller as received, and a fault while it stands
    std::uint64_t stops = 0;

    Control() = default;
    /// Throws std::runtime_error for a connector of the control bus that the mapping does not have.
    explicit Control(const GatewayLayout& layout);

    void initialize(Nanoseconds now);
    void receive(const Frame& frame, Nanoseconds now) { gateway.receive(frame, now); }
    void act(Nanoseconds now, Node& node);
    [[nodiscard]] std::optional<Nanoseconds> next() const { return gateway.next(); }
    /// Why it stands, for people; empty where it does not.
    [[nodiscard]] std::string explanation() const;

    auto members() {
        return std::tie(gateway, lost_sensor, stop, enable, status, stops, seen_faults_, is_controller_, start_);
    }

private:
    [[nodiscard]] std::optional<Stop> trouble(Nanoseconds now, const Node& node) const;
    [[nodiscard]] bool is_over(const Node& node) const;
    void say();

    /// Signals of the layout.
    struct Places {
        std::size_t enable = 0, status = 0, applied = 0, reason = 0, message = 0, time = 0;
    } places_;
    std::uint64_t seen_faults_ = 0;
    bool is_controller_ = false;
    Nanoseconds start_ = 0;
};

}  // namespace fmus::can
