#include "fmus/can/gateway/gateway_unit.hpp"

#include <stdexcept>

namespace {

namespace e2e = interfaces::e2e;
using fmus::can::Gateway;
using fmus::can::Nanoseconds;
using fmus::can::Node;
using interfaces::can_bus::ErrorState;

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
static_assert(static_cast<int>(e2e::Verdict::wrong_checksum) == static_cast<int>(Reason::wrong_checksum) &&
              static_cast<int>(e2e::Verdict::late) == static_cast<int>(Reason::timeout));

constexpr std::uint8_t no_counter = 15;    // AppliedCounter before the first trajectory point
constexpr double disabled = 0, fault = 3;  // EcuStatus

/// One end of the control bus. At the controller's end a message that is late, damaged, repeated or missing, a lost
/// sensor and a controller that is off the bus stop the machine: `enable` is off and the reason is on the bus, until
/// all messages are good again and the computer says that the machine is not to move. At the computer's end they are a
/// fault of the controller for as long as they last.
struct Control {
    Gateway gateway;
    std::uint32_t lost_sensor = 0;  // node-id on the sensor bus; 0: none
    struct Stop {
        std::uint8_t reason = 0;
        std::uint32_t message = 0;
        double time = 0;
    } stop;
    bool enable = false;
    std::int64_t status = static_cast<std::int64_t>(disabled);
    std::uint64_t stops = 0;
    /// Signals of the layout.
    struct Places {
        std::size_t enable = 0, status = 0, applied = 0, reason = 0, message = 0, time = 0;
    } places;
    std::uint64_t seen_faults = 0;
    Nanoseconds start = 0;

    void initialize(Nanoseconds now) {
        gateway.initialize(now);
        stop = {};
        enable = false;
        status = static_cast<std::int64_t>(disabled);
        stops = seen_faults = 0;
        start = now;
    }
    void receive(const fmus::can::Frame& frame, Nanoseconds now) { gateway.receive(frame, now); }
    void act(Nanoseconds now, Node& node) {
        gateway.check(now);
        const double t = static_cast<double>(now - start) / 1e9;
        if (stop.reason == 0)
            look_for_trouble(t, node);
        else if (is_over(node))
            stop = {};
        seen_faults = gateway.fault.count;
        say();
        gateway.send_due(now, node);
    }
    [[nodiscard]] std::optional<Nanoseconds> next() const { return gateway.next(); }
    auto members() { return std::tie(gateway, lost_sensor, stop, enable, status, stops, places, seen_faults, start); }

    [[nodiscard]] std::string explanation() const {
        switch (Reason{stop.reason}) {
            case Reason::none:
                return "";
            case Reason::sensor_lost:
                return "safe stop: sensor node " + std::to_string(stop.message) + " is lost";
            case Reason::bus_off:
                return "safe stop: the controller is off the bus, its error counter went beyond 255";
            default:
                return "safe stop: " + gateway.explanation();
        }
    }

private:
    [[nodiscard]] bool is_controller() const {
        const auto& layout = gateway.layout();
        for (std::size_t i = 0; i < layout.messages.size(); ++i) {
            const auto& message = layout.messages[i];
            if (places.status >= message.first && places.status < message.first + message.count)
                return gateway.plays(i);
        }
        return false;
    }
    void look_for_trouble(double t, const Node& node) {
        if (node.state() == ErrorState::off)
            begin({.reason = static_cast<std::uint8_t>(Reason::bus_off), .time = t});
        else if (lost_sensor != 0)
            begin({.reason = static_cast<std::uint8_t>(Reason::sensor_lost), .message = lost_sensor, .time = t});
        else if (gateway.fault.count != seen_faults)
            begin({.reason = static_cast<std::uint8_t>(gateway.fault.verdict),
                   .message = gateway.layout().messages[gateway.fault.message].frame.id,
                   .time = gateway.fault.time});
    }
    void begin(const Stop& why) {
        stop = why;
        ++stops;
    }
    [[nodiscard]] bool is_over(const Node& node) const {
        const bool clear = node.state() != ErrorState::off && lost_sensor == 0 && gateway.all_valid();
        return clear && (!is_controller() || !gateway.received[places.enable].flag);
    }
    /// What the units behind it see, and what goes to the bus.
    void say() {
        const bool stands = stop.reason != 0;
        enable = !stands && gateway.received[places.enable].flag;
        status = stands ? static_cast<std::int64_t>(fault) : gateway.received[places.status].whole;
        gateway.forced(places.status) = stands ? std::optional<double>(fault) : std::nullopt;
        gateway.forced(places.applied) = gateway.applied(0).value_or(no_counter);
        gateway.forced(places.reason) = stop.reason;
        gateway.forced(places.message) = stop.message;
        gateway.forced(places.time) = stop.time;
    }
};

class CanControlFmu final : public fmus::can::GatewayUnit<Control> {
public:
    void declare(const std::string& resources) override {
        const auto& layout = read_layout(resources);
        device().gateway = Gateway(layout);
        const auto place = [&](const char* name) {
            if (const auto found = layout.find(name)) return *found;
            throw std::runtime_error(std::string("the mapping has no connector '") + name + "'");
        };
        device().places = {.enable = place("enable"),
                           .status = place("status"),
                           .applied = place("applied.counter"),
                           .reason = place("stop.reason"),
                           .message = place("stop.message"),
                           .time = place("stop.time")};
        if (layout.sets.size() != 1) throw std::runtime_error("the mapping has no <Set> of the trajectory's messages");
        about({.name = "CanControl",
               .description = "One end of the control bus: the automation computer's (nodes = Computer) or the "
                              "controller's (nodes = Ecu), which stops safely",
               .stop = 1,
               .step = 0.001});
        declare_gateway(device().gateway, {.sent = {"applied.counter", "stop.reason", "stop.message", "stop.time"},
                                           .received = {"enable", "status"}});
        auto& [reason, message, time] = device().stop;
        output("received.enable", device().enable).depends_on({}).describe("The machine may move; off in a stop");
        output("received.status", device().status).depends_on({}).describe("Of the controller; 3, a fault, in a stop");
        input("sensor.lost", device().lost_sensor).describe("Node-id of a lost sensor; 0: none");
        output("stop.reason", reason)
            .depends_on({})
            .describe(
                "0 none, 1 wrong checksum, 2 repeated counter, 3 missing counter, 4 timeout, 5 sensor lost, "
                "6 bus off");
        output("stop.message", message).depends_on({}).describe("Identifier of the message, or the sensor's node-id");
        output("stop.time", "s", time).discrete().depends_on({}).describe("Since the start");
        output("stops", device().stops).depends_on({}).describe("How often it stopped");
    }

private:
    models::Advance step_model(double t, double h) override {
        const models::Advance advance = model_.step(t, h);
        if (device().stops > told_) report(fmus::Status::warning, device().explanation());
        told_ = device().stops;
        return advance;
    }

    std::uint64_t told_ = 0;
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<CanControlFmu>(); }
