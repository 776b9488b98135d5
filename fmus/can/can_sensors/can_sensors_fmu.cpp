#include "fmus/can/common/fixed.hpp"
#include "fmus/can/common/node_unit.hpp"
#include "interfaces/canopen/files/node_file.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace canopen = interfaces::canopen;
using fmus::can::Fixed;
using fmus::can::Nanoseconds;
using interfaces::can::Frame;

struct Slave {
    canopen::Slave slave;
    auto members() { return std::tie(slave.state); }
};

/// CANopen slaves, which see their inputs at the end of each step.
struct Sensors {
    const std::vector<canopen::Node>* nodes = nullptr;  // of the unit
    Fixed<std::uint8_t> node_id;
    Fixed<double> signals;  // of all nodes, in their order: what they measure, and what they are told over the bus
    std::uint8_t silent = 0;
    Fixed<Slave> slaves;
    Fixed<std::uint8_t> off;  // 0 or 1
    Nanoseconds measured = -1;
    canopen::Frames out;

    Sensors() = default;
    explicit Sensors(const std::vector<canopen::Node>& given) : nodes(&given) {
        std::vector<std::uint8_t> ids;
        std::size_t count = 0;
        for (const canopen::Node& node : given) {
            ids.push_back(node.commissioning.node_id);
            count += node.signals.size();
        }
        node_id = Fixed(ids);
        signals = Fixed(std::vector<double>(count));
        off = Fixed(std::vector<std::uint8_t>(given.size()));
        switch_on({});
    }

    void initialize(Nanoseconds now) {
        std::fill(off.begin(), off.end(), 0);
        measured = -1;
        out.clear();
        for (std::size_t i = 0; i < node_id.size(); ++i)
            if (node_id[i] == 0 || (node_id[i] > 127 && node_id[i] != canopen::unconfigured_node_id))
                throw std::runtime_error("parameter '" + (*nodes)[i].name + ".node_id' is " +
                                         std::to_string(node_id[i]) +
                                         ", expected 1 to 127, or 255 for a sensor without node-id");
        switch_on(canopen::Time(now));
    }
    void act(Nanoseconds now, fmus::can::Node& node) {
        const canopen::Time time(now);
        switch_power(time);
        if (now > std::exchange(measured, now)) measure(time);
        for (std::size_t i = 0; i < slaves.size(); ++i)
            if (off[i] == 0) slaves[i].slave.advance(time, out);
        // Sensors that send at the same instant: the lowest identifier wins.
        std::stable_sort(out.begin(), out.end(), [](const Frame& a, const Frame& b) { return a.id < b.id; });
        for (const Frame& frame : out) node.send(frame);
        out.clear();
        show_received();
    }
    void receive(const Frame& frame, Nanoseconds now) {
        for (std::size_t i = 0; i < slaves.size(); ++i)
            if (off[i] == 0) slaves[i].slave.receive(frame, canopen::Time(now), out);
    }
    [[nodiscard]] std::optional<Nanoseconds> next() const {
        std::optional<Nanoseconds> earliest;
        for (std::size_t i = 0; i < slaves.size(); ++i) {
            if (off[i] != 0) continue;
            if (const auto due = slaves[i].slave.due(); due && (!earliest || due->count() < *earliest))
                earliest = due->count();
        }
        return earliest;
    }
    auto members() { return std::tie(node_id, signals, silent, slaves, off, measured, out); }

private:
    void switch_on(canopen::Time now) {
        std::vector<Slave> all;
        for (std::size_t i = 0; i < nodes->size(); ++i) {
            canopen::Commissioning commissioning = (*nodes)[i].commissioning;
            commissioning.node_id = node_id[i];
            all.push_back({canopen::Slave((*nodes)[i].device, commissioning, now)});
        }
        slaves = Fixed(std::move(all));
    }
    void switch_power(canopen::Time now) {
        for (std::size_t i = 0; i < slaves.size(); ++i) {
            const bool is_off = silent != 0 && slaves[i].slave.node_id() == silent;
            const bool was_off = std::exchange(off[i], is_off ? 1 : 0) != 0;
            if (was_off && !is_off) slaves[i].slave.switch_on(now);
        }
    }
    void measure(canopen::Time now) {
        auto values = std::span<const double>(signals.data(), signals.size());
        for (std::size_t i = 0; i < slaves.size(); ++i) {
            const auto& own = (*nodes)[i].signals;
            canopen::measure(slaves[i].slave, own, values.first(own.size()), now);
            values = values.subspan(own.size());
        }
    }
    void show_received() {
        std::size_t at = 0;
        for (std::size_t i = 0; i < slaves.size(); ++i)
            for (const canopen::Signal& signal : (*nodes)[i].signals) {
                if (signal.direction == canopen::Direction::receive)
                    signals[at] = canopen::received(slaves[i].slave, signal);
                ++at;
            }
    }
};

/// Its variables follow from resources/mapping.xml and the data sheets that it names.
class CanSensorsFmu final : public fmus::can::NodeUnit<Sensors> {
public:
    void declare_unit(const std::string& resources) override {
        file_ = std::make_unique<canopen::NodeFile>(canopen::read_node_file(resources + "mapping.xml"));
        device() = Sensors(file_->nodes);
        about({.name = "CanSensors",
               .description = "CANopen nodes on a bus, by their data sheets and what each of them measures",
               .stop = 1,
               .step = 0.001});
        for (std::size_t i = 0; i < file_->nodes.size(); ++i)
            parameter(file_->nodes[i].name + ".node_id", device().node_id[i])
                .min(1)
                .max(canopen::unconfigured_node_id)
                .describe("CANopen node-id; 255: none yet, it waits for LSS");
        model_.node.parameters.bit_rate = file_->bit_rate;
        declare_node("Bus");
        std::size_t at = 0;
        for (const canopen::Node& node : file_->nodes)
            for (const canopen::Signal& signal : node.signals) declare_signal(node, signal, device().signals[at++]);
        input("silent", device().silent).describe("Node-id of a sensor that has lost its power; 0: none");
    }

private:
    void declare_signal(const canopen::Node& node, const canopen::Signal& signal, double& value) {
        if (signal.direction == canopen::Direction::transmit)
            input(signal.name, signal.unit, value).describe("What sensor " + node.name + " sees");
        else
            output(signal.name, signal.unit, value)
                .discrete()
                .depends_on({})
                .describe("What " + node.name + " is told over the bus");
    }

    std::unique_ptr<const canopen::NodeFile> file_;
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<CanSensorsFmu>(); }
