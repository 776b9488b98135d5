#include "fmus/can/gateway/control.hpp"

#include <stdexcept>

namespace fmus::can {

namespace {

namespace e2e = interfaces::e2e;
using interfaces::can_bus::ErrorState;

using Reason = Control::Reason;
static_assert(static_cast<int>(e2e::Verdict::wrong_checksum) == static_cast<int>(Reason::wrong_checksum) &&
              static_cast<int>(e2e::Verdict::repeated) == static_cast<int>(Reason::repeated_counter) &&
              static_cast<int>(e2e::Verdict::missing) == static_cast<int>(Reason::missing_counter) &&
              static_cast<int>(e2e::Verdict::late) == static_cast<int>(Reason::timeout));

constexpr std::uint8_t no_counter = 15;  // AppliedCounter before the first trajectory point
constexpr std::int64_t fault = 3;        // EcuStatus

std::uint8_t number(Reason reason) { return static_cast<std::uint8_t>(reason); }

}  // namespace

Control::Control(const GatewayLayout& layout) : gateway(layout) {
    const auto place = [&](const char* name) {
        if (const auto found = layout.find(name)) return *found;
        throw std::runtime_error(std::string("the mapping has no connector '") + name + "'");
    };
    places_ = {.enable = place("enable"),
               .status = place("status"),
               .applied = place("applied.counter"),
               .reason = place("stop.reason"),
               .message = place("stop.message"),
               .time = place("stop.time")};
    if (layout.sets.size() != 1)
        throw std::runtime_error("the mapping has " + std::to_string(layout.sets.size()) +
                                 " sets, expected one: the messages of a trajectory point");
}

void Control::initialize(Nanoseconds now) {
    gateway.initialize(now);
    stop = {};
    enable = false;
    status = 0;
    stops = seen_faults_ = 0;
    is_controller_ = gateway.plays(gateway.layout().message_of(places_.status));
    start_ = now;
}

void Control::act(Nanoseconds now, Node& node) {
    gateway.check(now);
    if (stop.reason != 0 && is_over(node)) {
        stop = {};
    } else if (stop.reason == 0) {
        if (const auto why = trouble(now, node)) {
            stop = *why;
            ++stops;
        }
    }
    seen_faults_ = gateway.fault.count;
    say();
    gateway.send_due(now, node);
}

std::optional<Control::Stop> Control::trouble(Nanoseconds now, const Node& node) const {
    const double t = static_cast<double>(now - start_) / 1e9;
    if (node.state() == ErrorState::off) return Stop{.reason = number(Reason::bus_off), .time = t};
    if (lost_sensor != 0) return Stop{.reason = number(Reason::sensor_lost), .message = lost_sensor, .time = t};
    if (gateway.fault.count == seen_faults_) return std::nullopt;
    return Stop{.reason = static_cast<std::uint8_t>(gateway.fault.verdict),
                .message = gateway.layout().messages[gateway.fault.message].frame.id,
                .time = gateway.fault.time};
}

bool Control::is_over(const Node& node) const {
    const bool clear = node.state() != ErrorState::off && lost_sensor == 0 && gateway.all_valid();
    return clear && (!is_controller_ || !gateway.received[places_.enable].flag);
}

/// What the units behind it see, and what goes to the bus.
void Control::say() {
    const bool stands = stop.reason != 0;
    enable = !stands && gateway.received[places_.enable].flag;
    status = stands ? fault : gateway.received[places_.status].whole;
    gateway.forced(places_.status) = stands ? std::optional<double>(fault) : std::nullopt;
    gateway.forced(places_.applied) = gateway.applied(0).value_or(no_counter);
    gateway.forced(places_.reason) = stop.reason;
    gateway.forced(places_.message) = stop.message;
    gateway.forced(places_.time) = stop.time;
}

std::string Control::explanation() const {
    switch (Reason{stop.reason}) {
        case Reason::none:
            return "";
        case Reason::sensor_lost:
            return "safe stop: sensor node " + std::to_string(stop.message) + " is lost";
        case Reason::bus_off:
            return "safe stop: the CAN controller is off the bus, its transmit error counter went beyond 255";
        default:
            return "safe stop: " + gateway.explanation();
    }
}

}  // namespace fmus::can
