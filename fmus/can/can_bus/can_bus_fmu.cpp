#include "fmus/can/common/ls_bus_unit.hpp"
#include "interfaces/can_bus/bus.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace {

namespace ls_bus = interfaces::ls_bus;
using fmus::can::Nanoseconds;
using fmus::can::Port;
using fmus::can::seconds;
using interfaces::can::Frame;
using interfaces::can_bus::Bus;
using interfaces::can_bus::most_terminals;
using interfaces::can_bus::most_watches;
using interfaces::can_bus::Observer;

/// Says what happens on the bus in operations.
class Speaker final : public Observer {
public:
    explicit Speaker(std::array<Port, most_terminals>& ports) : ports_(ports) {}
    void received(std::size_t terminal, const Frame& frame) override { say(terminal, ls_bus::Transmit{frame}); }
    void confirmed(std::size_t terminal, const Frame& frame) override { say(terminal, ls_bus::Confirm{frame.id}); }
    void arbitration_lost(std::size_t terminal, const Frame& frame) override {
        say(terminal, ls_bus::ArbitrationLost{frame.id});
    }
    void disturbed(std::size_t terminal, const Error& error) override {
        say(terminal, ls_bus::BusError{.id = error.id,
                                       .code = ls_bus::ErrorCode{static_cast<std::uint8_t>(error.kind)},
                                       .primary = error.first,
                                       .is_sender = error.is_sender});
    }

private:
    void say(std::size_t terminal, const ls_bus::Operation& operation) { ports_[terminal].out.put(operation); }

    std::array<Port, most_terminals>& ports_;
};

/// A bus simulation between sixteen terminals. A terminal is there once its unit said something.
struct CanBus {
    struct Parameters {
        std::uint32_t bit_rate = 250'000, data_bit_rate = 0;
        double error_share = 0, load_window = 1;
        std::uint64_t seed = 1, terminals = 0;
        std::array<std::int64_t, most_watches> watched;
        Parameters() { watched.fill(-1); }
    } parameters;
    struct Outputs {
        double load = 0, mean_load = 0;
        std::uint64_t frames = 0, errors = 0, lost = 0, format_errors = 0;
        std::array<std::uint8_t, most_terminals> state{};
        std::array<std::uint16_t, most_terminals> transmit_errors{}, receive_errors{};
        std::array<double, most_terminals> latency{};
        std::array<double, most_watches> watched_latency{};
        std::array<std::uint64_t, most_watches> watched_frames{};
    } outputs;
    std::array<bool, most_terminals> notifications;
    std::array<Port, most_terminals> ports;
    Bus bus;
    struct Window {
        Nanoseconds start = 0, begin = 0, busy = 0;
    } window;

    CanBus() { notifications.fill(true); }

    void initialize(double t) {
        const Nanoseconds now = fmus::can::nanoseconds(t);
        for (Port& port : ports) port.start();
        outputs = {};
        bus = {};
        bus.parameters = {.rates = {.nominal = parameters.bit_rate, .data = parameters.data_bit_rate},
                          .error_share = parameters.error_share,
                          .seed = parameters.seed};
        for (std::size_t i = 0; i < most_watches; ++i) watch(bus.watches[i], parameters.watched[i]);
        for (std::size_t i = 0; i < std::min<std::uint64_t>(parameters.terminals, most_terminals); ++i)
            bus.join(i, now);
        window = {now, now, 0};
    }
    models::Advance step(double t, double h) {
        const Nanoseconds now = fmus::can::nanoseconds(t + h);
        bus.parameters.error_share = parameters.error_share;
        Speaker speaker(ports);
        bus.advance(now, speaker);
        measure(now);
        const auto wants_event = [&](const Port& port) { return port.wants_event(now); };
        return {.reached = t + h, .event = std::any_of(ports.begin(), ports.end(), wants_event)};
    }
    bool update(double t) {
        const Nanoseconds now = fmus::can::nanoseconds(t);
        for (std::size_t i = 0; i < most_terminals; ++i)
            ports[i].update([&](const ls_bus::Operation& operation) { take(i, operation, now); });
        for (std::size_t i = 0; i < most_terminals; ++i)
            ports[i].announce(now, bus.joined(i) ? bus.next() : std::nullopt);
        measure(now);
        return false;
    }
    bool tick() {
        bool any = false;
        for (Port& port : ports) any |= port.tick();
        return any;
    }
    [[nodiscard]] std::optional<double> next_event() const {
        for (const Port& port : ports)
            if (const auto due = port.next_event()) return seconds(*due);  // all have the bus's
        return std::nullopt;
    }
    auto members() { return std::tie(parameters, outputs, notifications, ports, bus, window); }

private:
    /// Of an identifier of 29 bits bit 31 is set, as in a DBC file.
    static void watch(interfaces::can_bus::Watch& watch, std::int64_t id) {
        if (id < 0) return;
        watch.id = static_cast<std::uint32_t>(id & 0x1FFF'FFFF);
        watch.extended = (id & 0x8000'0000) != 0;
    }
    void take(std::size_t terminal, const ls_bus::Operation& operation, Nanoseconds now) {
        bus.join(terminal, now);
        if (const auto* transmit = std::get_if<ls_bus::Transmit>(&operation)) {
            bus.send(terminal, transmit->frame, now);
        } else if (std::holds_alternative<ls_bus::TransmitXl>(operation)) {
            refuse(terminal, operation);
        } else if (const auto* configuration = std::get_if<ls_bus::Configuration>(&operation)) {
            configure(terminal, *configuration, now);
        } else if (const auto* status = std::get_if<ls_bus::Status>(&operation)) {
            using State = interfaces::can_bus::ErrorState;
            bus.set_state(terminal, State{static_cast<std::uint8_t>(static_cast<int>(status->state) - 1)}, now);
        } else if (std::holds_alternative<ls_bus::Wakeup>(operation)) {
            for (std::size_t i = 0; i < most_terminals; ++i)
                if (i != terminal && bus.joined(i)) ports[i].out.put(operation);
        }
    }
    /// This bus carries classic and FD frames.
    void refuse(std::size_t terminal, const ls_bus::Operation& operation) {
        ls_bus::Bytes bytes;
        append(bytes, operation);
        ++ports[terminal].format_errors;
        ports[terminal].out.put(ls_bus::FormatError{bytes});
    }
    void configure(std::size_t terminal, const ls_bus::Configuration& configuration, Nanoseconds now) {
        switch (configuration.kind) {
            case ls_bus::ConfigurationKind::bit_rate:
                return bus.set_rate(terminal, configuration.value, now);
            case ls_bus::ConfigurationKind::fd_bit_rate:
                return bus.set_fast_rate(terminal, configuration.value, now);
            case ls_bus::ConfigurationKind::xl_bit_rate:
                return;
            case ls_bus::ConfigurationKind::arbitration_lost:
                return bus.discard_losers(
                    terminal, ls_bus::ArbitrationLostBehavior{static_cast<std::uint8_t>(configuration.value)} ==
                                  ls_bus::ArbitrationLostBehavior::discard_and_notify);
        }
    }
    void measure(Nanoseconds now) {
        const auto& statistics = bus.statistics();
        outputs.frames = statistics.frames;
        outputs.errors = statistics.errors;
        outputs.lost = statistics.lost;
        outputs.format_errors = 0;
        for (std::size_t i = 0; i < most_terminals; ++i) {
            outputs.format_errors += ports[i].format_errors;
            if (!bus.joined(i)) continue;
            outputs.state[i] = static_cast<std::uint8_t>(1 + static_cast<int>(bus.state(i)));
            outputs.transmit_errors[i] = bus.counters(i).transmit;
            outputs.receive_errors[i] = bus.counters(i).receive;
            outputs.latency[i] = seconds(bus.worst_latency(i));
        }
        for (std::size_t i = 0; i < most_watches; ++i) {
            outputs.watched_latency[i] = seconds(bus.watches[i].worst_latency);
            outputs.watched_frames[i] = bus.watches[i].frames;
        }
        const Nanoseconds busy = bus.busy(now);
        if (now > window.start) outputs.mean_load = seconds(busy) / seconds(now - window.start);
        // Of the first window what there is, once that is more than a few frames.
        constexpr Nanoseconds least_share = 10;
        const Nanoseconds width = fmus::can::nanoseconds(parameters.load_window), span = now - window.begin;
        if (span < (window.begin == window.start ? width / least_share : width)) return;
        outputs.load = seconds(busy - window.busy) / seconds(std::max<Nanoseconds>(1, span));
        if (span < width) return;
        window.begin = now;
        window.busy = busy;
    }
};

class CanBusFmu final : public fmus::can::LsBusUnit<CanBus> {
public:
    CanBusFmu() : LsBusUnit(fmus::can::Role::bus_simulation) {}
    void declare_unit(const std::string&) override {
        about({.name = "CanBus",
               .description = "A CAN bus between sixteen FMI-LS-BUS terminals: arbitration, frame times to the bit, "
                              "errors, fault confinement",
               .stop = 1,
               .step = 0.001});
        auto& parameters = model_.parameters;
        parameter("bit_rate", parameters.bit_rate).min(1).describe("bit/s, where no unit configures another");
        parameter("data_bit_rate", parameters.data_bit_rate)
            .describe("Of the data of FD frames, bit/s, where no unit configures another; 0: as bit_rate");
        parameter("error_share", parameters.error_share)
            .tunable()
            .min(0)
            .max(1)
            .describe("Share of frames that are hit by a bit error; they are sent again");
        parameter("seed", parameters.seed).describe("Of the errors");
        parameter("terminals", parameters.terminals)
            .max(static_cast<double>(most_terminals))
            .describe("So many terminals take part from the start; the others once their units said something");
        parameter("load_window", "s", parameters.load_window).describe("Time over which the load is taken");
        parameter("watched", parameters.watched)
            .describe("Identifiers whose frames are counted one by one; 29-bit ones with bit 31 set, -1: none");
        for (std::size_t i = 0; i < most_terminals; ++i) {
            const std::string name = "Node" + std::to_string(i + 1);
            output(name + ".BusNotifications", model_.notifications[i])
                .constant()
                .depends_on({})
                .describe("This bus confirms frames and tells of errors");
            bus_terminal(name, model_.ports[i], name + ".BusNotifications");
        }
        declare_outputs();
    }

private:
    void declare_outputs() {
        auto& outputs = model_.outputs;
        output("load", outputs.load)
            .discrete()
            .depends_on({})
            .describe(
                "Share of the last load_window in which the bus was busy; of the first one, from a tenth of it on");
        output("mean_load", outputs.mean_load).discrete().depends_on({}).describe("The same since the start");
        output("frames", outputs.frames).depends_on({}).describe("Frames that are through");
        output("errors", outputs.errors).depends_on({}).describe("Frames that an error hit");
        output("lost", outputs.lost)
            .depends_on({})
            .describe("Frames thrown away: the queue of a terminal was full, or its bit rate is not the bus's");
        output("format_errors", outputs.format_errors)
            .depends_on({})
            .describe("Operations that were none and got a Format Error");
        output("state", outputs.state)
            .depends_on({})
            .describe("Of each terminal: 0 nobody there, 1 error active, 2 error passive, 3 bus off");
        output("transmit_errors", outputs.transmit_errors).depends_on({}).describe("Transmit error counters");
        output("receive_errors", outputs.receive_errors).depends_on({}).describe("Receive error counters");
        output("latency", "s", outputs.latency)
            .discrete()
            .depends_on({})
            .describe("Longest time from the arrival of a frame at the bus to its end, by terminal");
        output("message.latency", "s", outputs.watched_latency)
            .discrete()
            .depends_on({})
            .describe("The same of each watched identifier");
        output("message.frames", outputs.watched_frames)
            .depends_on({})
            .describe("Frames of each watched identifier that are through");
    }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<CanBusFmu>(); }
