#pragma once

#include "fmus/can/common/ls_bus_unit.hpp"
#include "fmus/can/common/node.hpp"
#include "models/advance.hpp"

#include <optional>
#include <tuple>

namespace fmus::can {

/// A device with one CAN controller. The device offers
///   initialize(now)          from its parameters
///   act(now, node)           sends what is due up to now
///   receive(frame, now)      what another one sent
///   next()                   when it has something to do next (std::optional<Nanoseconds>)
///   members()                its state, for serialization
template <class Device>
struct NodeModel {
    Device device;
    Node node;

    void initialize(double t) {
        node.start();
        device.initialize(nanoseconds(t));
    }
    models::Advance step(double t, double h) {
        const Nanoseconds now = nanoseconds(t + h);
        device.act(now, node);
        return {.reached = t + h, .event = node.port.wants_event(now)};
    }
    bool update(double t) {
        const Nanoseconds now = nanoseconds(t);
        node.update(now, [&](const Frame& frame) { device.receive(frame, now); });
        device.act(now, node);
        node.announce(now, device.next());
        return false;
    }
    bool tick() { return node.port.tick(); }
    [[nodiscard]] std::optional<double> next_event() const {
        const auto due = node.port.next_event();
        return due ? std::optional(seconds(*due)) : std::nullopt;
    }
    auto members() { return std::tie(device, node); }
};

/// A unit of it: the terminal and what every controller has.
template <class Device>
class NodeUnit : public LsBusUnit<NodeModel<Device>> {
protected:
    NodeUnit() : LsBusUnit<NodeModel<Device>>(Role::node) {}

    Device& device() { return this->model_.device; }
    void declare_node(const std::string& terminal) {
        Node& node = this->model_.node;
        this->parameter("bit_rate", node.parameters.bit_rate).min(1).describe("Of the controller, bit/s");
        this->parameter("data_bit_rate", node.parameters.data_bit_rate)
            .describe("Of the data of FD frames, bit/s; 0: as the bus has it");
        const std::string notifications = terminal + ".BusNotifications";
        this->parameter(notifications, node.parameters.notifications)
            .describe("The bus confirms frames: the controller waits for that before it hands over the next one");
        this->bus_terminal(terminal, node.port, notifications);
        this->output("frames.sent", node.counters.sent)
            .depends_on({})
            .describe("Frames handed to the bus; with notifications, those that are through");
        this->output("frames.received", node.counters.received).depends_on({}).describe("Frames of others");
        this->output("frames.lost", node.counters.lost)
            .depends_on({})
            .describe("Frames that found the controller's queue full");
    }
};

}  // namespace fmus::can
