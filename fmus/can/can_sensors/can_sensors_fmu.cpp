#include "fmus/can/common/node_unit.hpp"
#include "fmus/can/common/sensor_signals.hpp"
#include "interfaces/canopen/sensors/excavator.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace canopen = interfaces::canopen;
using fmus::can::Nanoseconds;
using fmus::can::sensor_signals;
using interfaces::can::Frame;

constexpr std::size_t sensor_count = 9;

const std::vector<canopen::Node>& nodes() {
    static const std::vector<canopen::Node> all = canopen::excavator_sensors();
    return all;
}

/// The nine CANopen sensors of the excavator, which see their inputs at the end of each step.
struct Sensors {
    struct Parameters {
        std::array<std::uint8_t, sensor_count> node_id{};
    } parameters;
    struct Inputs {
        std::array<double, sensor_signals> physical{};
        std::uint8_t silent = 0;
    } inputs;
    std::vector<canopen::Slave> slaves;
    struct Running {
        std::array<bool, sensor_count> off{};
        Nanoseconds measured = -1;
    } running;
    canopen::Frames out;

    Sensors() {
        for (std::size_t i = 0; i < sensor_count; ++i) {
            parameters.node_id[i] = nodes()[i].commissioning.node_id;
            slaves.emplace_back(nodes()[i].device, nodes()[i].commissioning);
        }
    }

    void initialize(Nanoseconds now) {
        running = {};
        out.clear();
        slaves.clear();
        for (std::size_t i = 0; i < sensor_count; ++i) {
            const canopen::Node& node = nodes()[i];
            canopen::Commissioning commissioning = node.commissioning;
            commissioning.node_id = parameters.node_id[i];
            if (commissioning.node_id == 0 ||
                (commissioning.node_id > 127 && commissioning.node_id != canopen::unconfigured_node_id))
                throw std::runtime_error("parameter '" + node.name + ".node_id' is " +
                                         std::to_string(commissioning.node_id) +
                                         ", expected 1 to 127, or 255 for a sensor without node-id");
            slaves.emplace_back(node.device, commissioning, canopen::Time(now));
        }
    }
    void act(Nanoseconds now, fmus::can::Node& node) {
        const canopen::Time time(now);
        switch_power(time);
        if (now > std::exchange(running.measured, now)) measure(time);
        for (std::size_t i = 0; i < sensor_count; ++i)
            if (!running.off[i]) slaves[i].advance(time, out);
        // Sensors that send at the same instant: the lowest identifier wins.
        std::stable_sort(out.begin(), out.end(), [](const Frame& a, const Frame& b) { return a.id < b.id; });
        for (const Frame& frame : out) node.send(frame);
        out.clear();
    }
    void receive(const Frame& frame, Nanoseconds now) {
        for (std::size_t i = 0; i < sensor_count; ++i)
            if (!running.off[i]) slaves[i].receive(frame, canopen::Time(now), out);
    }
    [[nodiscard]] std::optional<Nanoseconds> next() const {
        std::optional<Nanoseconds> earliest;
        for (std::size_t i = 0; i < sensor_count; ++i) {
            if (running.off[i]) continue;
            if (const auto due = slaves[i].due(); due && (!earliest || due->count() < *earliest))
                earliest = due->count();
        }
        return earliest;
    }
    auto members() {
        return [this]<std::size_t... I>(std::index_sequence<I...>) {
            return std::tie(parameters, inputs, running, out, slaves[I].state...);
        }
        (std::make_index_sequence<sensor_count>());
    }

private:
    void switch_power(canopen::Time now) {
        for (std::size_t i = 0; i < sensor_count; ++i) {
            const bool off = inputs.silent != 0 && slaves[i].node_id() == inputs.silent;
            if (std::exchange(running.off[i], off) && !off) slaves[i].switch_on(now);
        }
    }
    void measure(canopen::Time now) {
        auto values = std::span<const double>(inputs.physical);
        for (std::size_t i = 0; i < sensor_count; ++i) {
            const auto& signals = nodes()[i].signals;
            canopen::measure(slaves[i], signals, values.first(signals.size()), now);
            values = values.subspan(signals.size());
        }
    }
};

class CanSensorsFmu final : public fmus::can::NodeUnit<Sensors> {
public:
    CanSensorsFmu() {
        about({.name = "CanSensors",
               .description = "The nine CANopen sensors of the excavator: inclinometers, draw-wire, encoder, pressures",
               .stop = 1,
               .step = 0.001});
        for (std::size_t i = 0; i < sensor_count; ++i)
            parameter(nodes()[i].name + ".node_id", device().parameters.node_id[i])
                .min(1)
                .max(canopen::unconfigured_node_id)
                .describe("CANopen node-id; 255: none yet, it waits for LSS");
        declare_node("Bus");
        std::size_t at = 0;
        for (const canopen::Node& node : nodes())
            for (const canopen::Signal& signal : node.signals)
                input(signal.name, fmus::can::unit_of_signal(signal.name), device().inputs.physical[at++])
                    .describe("What sensor " + node.name + " sees");
        input("silent", device().inputs.silent).describe("Node-id of a sensor that has lost its power; 0: none");
    }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<CanSensorsFmu>(); }
