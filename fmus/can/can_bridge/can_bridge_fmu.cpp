#include "fmus/can/can_bridge/outside.hpp"
#include "fmus/can/common/ls_bus_unit.hpp"
#include "fmus/common/declaring/outside.hpp"
#include "models/advance.hpp"

#include <functional>
#include <limits>
#include <memory>
#include <string>

namespace {

namespace ls_bus = interfaces::ls_bus;
using fmus::can::Nanoseconds;
using interfaces::can::Endpoint;
using interfaces::can::Received;

/// Carries frames between a unit and a bus outside. Towards the unit it is the bus: it confirms a frame once that has
/// been on the bus outside, and says so of one that was thrown away. What comes from there enters once per
/// communication point, at the first call for it.
struct Bridge {
    struct Parameters {
        fmus::OutsideParameters outside;
        std::string transport = "udp:";
        std::uint32_t bit_rate = 250'000;
        auto members() { return std::tie(outside, transport, bit_rate); }
        friend bool operator==(const Parameters&, const Parameters&) = default;
    } parameters;
    struct Outputs {
        std::uint64_t sent = 0, confirmed = 0, received = 0, errors = 0, refused = 0, lost = 0, malformed = 0;
        std::uint8_t state = 0;
        std::string problem;
        auto members() { return std::tie(sent, confirmed, received, errors, refused, lost, malformed, state, problem); }
    } outputs;
    bool notifications = true;
    fmus::can::Port port;
    Nanoseconds last_point = std::numeric_limits<Nanoseconds>::min();
    std::uint64_t lost_outside = 0;
    fmus::Opened<fmus::can::Outside, Parameters> outside;
    std::function<void(const std::string&)> warn;

    void initialize(double) {
        outputs = {};
        port.start();
        last_point = std::numeric_limits<Nanoseconds>::min();
        lost_outside = 0;
        outside.open(parameters, [this] { return outside_of(parameters); });
        outputs.state = outside ? 1 : 0;
    }
    models::Advance step(double t, double h) {
        const Nanoseconds now = fmus::can::nanoseconds(t + h);
        if (outside) outside->begin_step();
        take_in(now);
        return {.reached = t + h, .event = port.wants_event(now)};
    }
    bool update(double t) {
        const Nanoseconds now = fmus::can::nanoseconds(t);
        port.update([&](const ls_bus::Operation& operation) {
            const auto* transmit = std::get_if<ls_bus::Transmit>(&operation);
            if (transmit == nullptr || !outside) return;
            ++outputs.sent;
            outside->send(transmit->frame);
        });
        take_in(now);
        port.announce(now, std::nullopt);
        return false;
    }
    bool tick() { return port.tick(); }
    auto members() { return std::tie(parameters, outputs, notifications, port, last_point, lost_outside); }

private:
    static std::unique_ptr<fmus::can::Outside> outside_of(const Parameters& parameters) {
        if (!parameters.outside.replay.empty()) return fmus::can::replay_outside(parameters.outside.replay);
        return fmus::can::open_outside(parameters.transport, {.echo = true, .bit_rate = parameters.bit_rate},
                                       parameters.outside.journal);
    }
    void take_in(Nanoseconds now) {
        if (!outside || now <= last_point) return;
        last_point = now;
        // A flood comes in as fast as it is taken: what is beyond this waits for the next point.
        for (std::size_t i = 0; i < 2 * Endpoint::capacity; ++i) {
            const auto arrival = outside->next(now);
            if (!arrival) break;
            std::visit([this](const auto& what) { take(what); }, *arrival);
        }
        outside->finish_point();
        outputs.lost = lost_outside + port.out.dropped();
    }
    void take(const Received& received) {
        if (received.frame.error) {
            ++outputs.errors;
        } else if (received.own) {
            ++outputs.confirmed;
            port.out.put(ls_bus::Confirm{received.frame.id});
        } else {
            ++outputs.received;
            port.out.put(ls_bus::Transmit{received.frame});
        }
    }
    /// A unit that waits for the confirmation may hand it over again.
    void take(const fmus::can::Refused& refused) { port.out.put(ls_bus::ArbitrationLost{refused.frame.id}); }
    void take(const Endpoint::Report& report) {
        constexpr std::uint8_t active = 1, passive = 2, off = 3;
        using interfaces::can::BusState;
        const bool was_there = outputs.state != 0 && outputs.confirmed + outputs.received > 0;
        switch (report.state) {
            case BusState::error_active:
            case BusState::error_warning:
                outputs.state = active;
                break;
            case BusState::error_passive:
                outputs.state = passive;
                break;
            case BusState::bus_off:
                outputs.state = off;
                break;
            case BusState::down:
                outputs.state = 0;
                break;
        }
        if (warn && report.refused > 0 && outputs.refused == 0)
            warn("frames cannot be sent: nobody takes them on '" + parameters.transport +
                 "'; they are thrown away and counted");
        if (warn && report.lost > 0 && lost_outside == 0)
            warn("frames from '" + parameters.transport + "' are lost: more came than there is room for");
        outputs.refused = report.refused;
        lost_outside = report.lost;
        outputs.malformed = report.malformed;
        const std::string problem = report.problem.data();
        if (warn && problem != outputs.problem)
            warn(problem.empty() ? "'" + parameters.transport + "' is back" : problem + "; the simulation goes on");
        else if (warn && problem.empty() && was_there && outputs.state == 0)
            warn("nobody is on '" + parameters.transport + "' any more; the simulation goes on");
        outputs.problem = problem;
    }
};

class CanBridgeFmu final : public fmus::OutsideUnit<fmus::can::LsBusUnit<Bridge>> {
public:
    CanBridgeFmu() : OutsideUnit(fmus::can::Role::bus_simulation) {}
    void declare_unit(const std::string&) override {
        about({.name = "CanBridge",
               .description = "Between a unit that speaks FMI-LS-BUS and a CAN bus outside of the simulation",
               .stop = 1,
               .step = 0.001});
        auto& parameters = model_.parameters;
        declare_outside(parameters.outside, "Opens the bus outside; off: nothing is opened");
        parameter("transport", parameters.transport)
            .describe(
                "socketcan:INTERFACE, udp:[GROUP][:PORT][@INTERFACE] (python-can's udp_multicast), slcan:DEVICE, "
                "slcan-tcp:HOST:PORT, slcan-pty:[LINK] or slcan-server:[HOST:]PORT; nothing leaves this "
                "computer unless an interface, a device or a host says so");
        parameter("bit_rate", parameters.bit_rate).min(1).describe("Told to adapters that have to be told, bit/s");
        output("Bus.BusNotifications", model_.notifications)
            .constant()
            .depends_on({})
            .describe("Frames are confirmed when they have been on the bus outside");
        bus_terminal("Bus", model_.port, "Bus.BusNotifications");
        declare_outputs();
        model_.warn = [this](const std::string& text) { report(fmus::Status::warning, text); };
    }

private:
    void declare_outputs() {
        auto& outputs = model_.outputs;
        output("frames.sent", outputs.sent).depends_on({}).describe("Frames given to the bus outside");
        output("frames.confirmed", outputs.confirmed).depends_on({}).describe("Those that have been on it");
        output("frames.received", outputs.received).depends_on({}).describe("Frames of others");
        output("frames.refused", outputs.refused)
            .depends_on({})
            .describe("Frames that could not be sent within 20 ms and were thrown away: nobody there, or no room");
        output("frames.lost", outputs.lost).depends_on({}).describe("Frames of others that found no room");
        output("frames.malformed", outputs.malformed).depends_on({}).describe("What came and was no frame");
        output("errors", outputs.errors).depends_on({}).describe("Error frames of the controller outside");
        output("state", outputs.state)
            .depends_on({})
            .describe("0 nobody there or broken, 1 error active, 2 error passive, 3 bus off");
        output("problem", outputs.problem).depends_on({}).describe("Why nothing comes or goes; empty: all is well");
    }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<CanBridgeFmu>(); }
