#include "fmus/can/gateway/layout.hpp"

#include "interfaces/dbc/layout.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace fmus::can {

namespace {

namespace dbc = interfaces::dbc;
namespace can_mapping = interfaces::can_mapping;

/// More bits than a double can hold stay a real number.
constexpr unsigned most_whole_bits = 53;

const can_mapping::MessageMap* map_of(const can_mapping::Mapping& mapping, std::size_t message) {
    const auto found = std::find_if(mapping.messages.begin(), mapping.messages.end(),
                                    [&](const auto& map) { return map.message == message; });
    return found == mapping.messages.end() ? nullptr : &*found;
}

GatewaySignal::Kind kind_of(const dbc::Signal& signal, double gain, double offset) {
    using Kind = GatewaySignal::Kind;
    const bool plain = signal.factor == 1 && signal.offset == 0 && gain == 1 && offset == 0;
    const bool integer =
        signal.kind == dbc::ValueKind::unsigned_integer || signal.kind == dbc::ValueKind::signed_integer;
    if (!plain || !integer || signal.length > most_whole_bits) return Kind::real;
    return signal.length == 1 && signal.kind == dbc::ValueKind::unsigned_integer ? Kind::flag : Kind::whole;
}

GatewaySignal gateway_signal(const dbc::Message& message, std::size_t index, const can_mapping::MessageMap* map) {
    const dbc::Signal& signal = message.signals[index];
    GatewaySignal result{.name = message.name + '.' + signal.name, .signal = index};
    if (map != nullptr)
        for (const can_mapping::SignalMap& mapped : map->signals) {
            if (mapped.signal != index) continue;
            result.name = mapped.connector;
            result.gain = mapped.gain;
            result.offset = mapped.offset;
        }
    result.kind = kind_of(signal, result.gain, result.offset);
    result.initial = (signal.initial * signal.factor + signal.offset) * result.gain + result.offset;
    if (result.kind == GatewaySignal::Kind::real && result.gain == 1 && result.offset == 0) result.unit = signal.unit;
    result.has_indicator =
        message.j1939 && signal.kind == dbc::ValueKind::unsigned_integer && signal.length > 1 && signal.length <= 32;
    result.description = signal.comment.empty() ? message.name + ' ' + signal.name : signal.comment;
    return result;
}

void add_receivers(GatewayMessage& to, const dbc::Signal& signal) {
    for (const std::string& name : signal.receivers)
        if (std::find(to.receivers.begin(), to.receivers.end(), name) == to.receivers.end())
            to.receivers.push_back(name);
}

GatewayMessage gateway_message(const dbc::Message& message, const can_mapping::MessageMap* map) {
    GatewayMessage result{.name = message.name,
                          .frame = {.id = message.id,
                                    .extended = message.extended,
                                    .fd = message.fd,
                                    .bit_rate_switch = message.bit_rate_switch,
                                    .size = static_cast<std::uint8_t>(message.size)},
                          .cycle = nanoseconds(message.cycle_time),
                          .j1939 = message.j1939,
                          .senders = message.further_senders};
    // J1939-71: what is not defined is sent as not available.
    if (message.j1939 && dbc::is_one_frame(message))
        std::fill_n(result.frame.data.begin(), message.size, std::uint8_t{0xFF});
    if (!message.sender.empty()) result.senders.push_back(message.sender);
    if (map != nullptr) {
        result.protection = map->protection;
        result.limits = map->limits;
    }
    for (const dbc::Signal& signal : message.signals) add_receivers(result, signal);
    return result;
}

void add_sets(const can_mapping::Mapping& mapping, GatewayLayout& layout) {
    for (const can_mapping::SetMap& set : mapping.sets) {
        std::vector<std::size_t> members;
        for (const std::size_t map : set.members) {
            const std::size_t index = mapping.messages[map].message;
            GatewayMessage& message = layout.messages[index];
            message.set = layout.sets.size();
            message.member = members.size();
            members.push_back(index);
            const GatewayMessage& first = layout.messages[members.front()];
            if (message.cycle != first.cycle)
                throw std::runtime_error("the members of set '" + set.name + "' have different cycle times: " +
                                         first.name + " and " + message.name + "; equal counters need equal ones");
        }
        layout.sets.push_back(std::move(members));
    }
}

dbc::Plans::Sources sources_of(const can_mapping::Mapping& mapping) {
    dbc::Plans::Sources sources(mapping.database.messages.size());
    for (const can_mapping::MessageMap& map : mapping.messages) sources[map.message] = map.source;
    return sources;
}

}  // namespace

GatewayLayout::GatewayLayout(const can_mapping::Mapping& mapping) : plans(mapping.database, sources_of(mapping)) {
    for (const dbc::Node& node : mapping.database.nodes) nodes.push_back(node.name);
    std::set<std::string> names;
    for (std::size_t i = 0; i < mapping.database.messages.size(); ++i) {
        const dbc::Message& message = mapping.database.messages[i];
        const can_mapping::MessageMap* map = map_of(mapping, i);
        GatewayMessage& entry = messages.emplace_back(gateway_message(message, map));
        entry.first = signals.size();
        entry.is_one_frame = dbc::is_one_frame(message);
        if (!entry.is_one_frame) continue;
        entry.place = width;
        entry.width = message.signals.size();
        width += entry.width;
        for (std::size_t k = 0; k < message.signals.size(); ++k) {
            if (map != nullptr && (map->counter == k || map->checksum == k)) continue;
            signals.push_back(gateway_signal(message, k, map));
            if (!names.insert(signals.back().name).second)
                throw std::runtime_error("two signals have the connector '" + signals.back().name +
                                         "', a gateway needs one for each");
        }
        entry.count = signals.size() - entry.first;
    }
    add_sets(mapping, *this);
    for (const dbc::Remark& remark : mapping.database.remarks)
        remarks.push_back(mapping.database_file + ':' + std::to_string(remark.line) + ": " + remark.text);
}

std::optional<std::size_t> GatewayLayout::find(const std::string& name) const {
    for (std::size_t i = 0; i < signals.size(); ++i)
        if (signals[i].name == name) return i;
    return std::nullopt;
}

std::size_t GatewayLayout::message_of(std::size_t signal) const {
    std::size_t message = 0;
    while (signal >= messages[message].first + messages[message].count) ++message;
    return message;
}

}  // namespace fmus::can
