#include "fmus/can/common/network.hpp"
#include "fmus/can/common/node_unit.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace {

using fmus::can::Channel;
using fmus::can::Nanoseconds;
using fmus::can::Network;
using interfaces::can::Frame;
namespace e2e = interfaces::e2e;

double seconds(Nanoseconds time) { return static_cast<double>(time) / 1e9; }

/// Signals to frames and back, as a DBC and a mapping file say.
struct Gateway {
    const Network* network = nullptr;     // of the unit, which outlives its model
    std::vector<double> inputs, outputs;  // their places are the unit's variables: the sizes never change
    struct Sender {
        Nanoseconds next = 0;
        std::uint8_t counter = 0;
    };
    std::vector<Sender> senders;
    struct Receiver {
        e2e::Monitor monitor{e2e::Protection{}, {}};
        Frame frame;  // waits for the rest of its set
    };
    std::vector<Receiver> receivers;
    struct Set {
        std::uint64_t present = 0;
        std::uint8_t counter = 0;
    };
    std::vector<Set> sets;
    std::vector<double> sent_inputs;  // as they were when last sent, for messages without a period
    std::vector<double> values;
    struct Health {
        std::uint64_t rejected = 0;
        bool late = false;
    } health;

    void prepare(const Network& given) {
        network = &given;
        for (const auto& input : given.inputs) inputs.push_back(input.start);
        for (const auto& output : given.outputs) outputs.push_back(output.start);
        values.resize(most_signals());
    }
    void initialize(Nanoseconds now) {
        senders.assign(network->sent.size(), {.next = now});
        receivers.clear();
        for (const Channel& channel : network->received) {
            receivers.push_back({.monitor = {channel.protection, channel.limits}, .frame = {}});
            receivers.back().monitor.start(seconds(now));
        }
        sets.assign(network->sets.size(), {});
        sent_inputs = inputs;
        health = {};
        for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i] = network->outputs[i].start;
    }
    void act(Nanoseconds now, fmus::can::Node& node) {
        for (std::size_t i = 0; i < senders.size(); ++i) {
            const Channel& channel = network->sent[i];
            Sender& sender = senders[i];
            if (channel.period > 0) {
                for (; sender.next <= now; sender.next += channel.period) send(channel, sender, node);
            } else if (changed(channel)) {
                send(channel, sender, node);
            }
        }
        health.late = std::any_of(receivers.begin(), receivers.end(), [&](const Receiver& receiver) {
            return receiver.monitor.at(seconds(now)) == e2e::Verdict::late;
        });
    }
    void receive(const Frame& frame, Nanoseconds now) {
        const Channel* channel = network->find(frame);
        if (channel == nullptr) return;
        Receiver& receiver = receivers[static_cast<std::size_t>(channel - network->received.data())];
        const auto bytes = frame.bytes();
        const std::size_t size = network->plans[channel->message].size();
        if (bytes.size() < size || receiver.monitor.take(seconds(now), bytes.first(size)) != e2e::Verdict::good) {
            ++health.rejected;
            return;
        }
        receiver.frame = frame;
        if (!channel->set)
            apply(*channel, frame);
        else
            complete(*channel, e2e::counter_of(channel->protection, bytes));
    }
    [[nodiscard]] std::optional<Nanoseconds> next() const {
        std::optional<Nanoseconds> first;
        for (std::size_t i = 0; i < senders.size(); ++i)
            if (network->sent[i].period > 0) first = std::min(first.value_or(senders[i].next), senders[i].next);
        return first;
    }
    auto members() { return std::tie(inputs, outputs, senders, receivers, sets, sent_inputs, values, health); }

private:
    [[nodiscard]] std::size_t most_signals() const {
        std::size_t most = 0;
        for (const auto& message : network->mapping.database.messages) most = std::max(most, message.signals.size());
        return most;
    }
    bool changed(const Channel& channel) {
        bool any = false;
        for (const Channel::Line& line : channel.lines) {
            any = any || sent_inputs[line.variable] != inputs[line.variable];
            sent_inputs[line.variable] = inputs[line.variable];
        }
        return any;
    }
    void send(const Channel& channel, Sender& sender, fmus::can::Node& node) {
        const auto& message = network->mapping.database.messages[channel.message];
        const auto& plan = network->plans[channel.message];
        std::fill(values.begin(), values.end(), 0.0);
        for (const Channel::Line& line : channel.lines)
            values[line.signal] = (inputs[line.variable] - line.offset) / line.gain;
        Frame frame{.id = message.id,
                    .extended = message.extended,
                    .fd = message.fd,
                    .bit_rate_switch = message.bit_rate_switch,
                    .size = static_cast<std::uint8_t>(message.size)};
        const std::span<std::uint8_t> bytes = std::span(frame.data).first(message.size);
        static_cast<void>(plan.encode(std::span(values).first(plan.signal_count()), bytes));
        e2e::protect(channel.protection, sender.counter, bytes);
        sender.counter =
            sender.counter >= channel.protection.largest_counter() ? 0 : static_cast<std::uint8_t>(sender.counter + 1);
        node.send(frame);
    }
    void apply(const Channel& channel, const Frame& frame) {
        const auto& plan = network->plans[channel.message];
        for (const Channel::Line& line : channel.lines)
            values[line.signal] = (outputs[line.variable] - line.offset) / line.gain;
        static_cast<void>(plan.decode(frame.bytes(), std::span(values).first(plan.signal_count())));
        for (const Channel::Line& line : channel.lines)
            outputs[line.variable] = values[line.signal] * line.gain + line.offset;
    }
    /// A frame with another counter begins the set anew.
    void complete(const Channel& channel, std::uint8_t counter) {
        Set& set = sets[*channel.set];
        if (set.present == 0 || set.counter != counter) set = {0, counter};
        set.present |= channel.member;
        if (set.present != network->sets[*channel.set]) return;
        set.present = 0;
        for (std::size_t i = 0; i < receivers.size(); ++i)
            if (network->received[i].set == channel.set) apply(network->received[i], receivers[i].frame);
    }
};

std::vector<std::string> words_of(const std::string& file) {
    std::ifstream stream(file);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    if (words.empty()) throw std::runtime_error(file + ": expected the names of the nodes that this unit plays");
    return words;
}

class CanGatewayFmu final : public fmus::can::NodeUnit<Gateway> {
public:
    CanGatewayFmu() {
        about({.name = "CanGateway",
               .description = "Plays nodes of a DBC file: signals to frames and back",
               .stop = 1,
               .step = 0.001});
        declare_node("Bus");
    }
    void declare(const std::string& resources) override {
        network_.emplace(interfaces::can_mapping::read_file(resources + "mapping.xml"),
                         words_of(resources + "nodes.txt"));
        Gateway& gateway = device();
        gateway.prepare(*network_);
        for (std::size_t i = 0; i < gateway.inputs.size(); ++i) {
            const auto& variable = network_->inputs[i];
            input(variable.name, variable.unit, gateway.inputs[i]).discrete().describe(variable.description);
        }
        for (std::size_t i = 0; i < gateway.outputs.size(); ++i) {
            const auto& variable = network_->outputs[i];
            output(variable.name, variable.unit, gateway.outputs[i])
                .discrete()
                .depends_on({})
                .describe(variable.description);
        }
        output("frames.rejected", gateway.health.rejected)
            .depends_on({})
            .describe("Frames that were too short or whose counter or checksum was wrong");
        output("late", gateway.health.late).depends_on({}).describe("A message with a timeout did not come in time");
    }

private:
    std::optional<Network> network_;
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<CanGatewayFmu>(); }
