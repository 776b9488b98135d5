#include "fmus/can/common/network.hpp"

#include <algorithm>
#include <stdexcept>

namespace fmus::can {

namespace {

namespace can_mapping = interfaces::can_mapping;
namespace dbc = interfaces::dbc;

void check_nodes(const dbc::Database& database, const std::string& file, const std::vector<std::string>& nodes) {
    std::string known;
    for (const dbc::Node& node : database.nodes) known += (known.empty() ? "" : ", ") + node.name;
    for (const std::string& name : nodes)
        if (std::none_of(database.nodes.begin(), database.nodes.end(),
                         [&](const dbc::Node& node) { return node.name == name; }))
            throw std::runtime_error(file + " has no node '" + name + "', only " + known);
}

const can_mapping::MessageMap* map_of(const can_mapping::Mapping& mapping, std::size_t message) {
    for (const can_mapping::MessageMap& map : mapping.messages)
        if (map.message == message) return &map;
    return nullptr;
}

/// One variable per signal that the protection does not write.
void add_lines(const dbc::Message& message, const dbc::MessagePlan& plan, const can_mapping::MessageMap* map,
               std::vector<SignalVariable>& variables, Channel& channel) {
    for (std::uint32_t i = 0; i < message.signals.size(); ++i) {
        const dbc::Signal& signal = message.signals[i];
        if (map != nullptr && (map->counter == i || map->checksum == i)) continue;
        const can_mapping::SignalMap* mapped = nullptr;
        if (map != nullptr)
            for (const can_mapping::SignalMap& line : map->signals)
                if (line.signal == i) mapped = &line;
        Channel::Line line{.signal = i, .variable = variables.size()};
        SignalVariable variable{
            .name = message.name + '.' + signal.name,
            .unit = signal.unit,
            .description = signal.comment,
            .start = plan.physical(i, static_cast<std::uint64_t>(static_cast<std::int64_t>(signal.initial)))};
        if (mapped != nullptr) {
            variable.name = mapped->connector;
            line.gain = mapped->gain;
            line.offset = mapped->offset;
            if (line.gain != 1 || line.offset != 0) variable.unit.clear();  // no longer the file's
            variable.start = variable.start * line.gain + line.offset;
        }
        channel.lines.push_back(line);
        variables.push_back(std::move(variable));
    }
}

}  // namespace

Network::Network(can_mapping::Mapping given, const std::vector<std::string>& nodes)
    : mapping(std::move(given)), plans(mapping.database) {
    check_nodes(mapping.database, mapping.database_file, nodes);
    for (std::size_t i = 0; i < mapping.database.messages.size(); ++i) {
        const dbc::Message& message = mapping.database.messages[i];
        if (message.size > interfaces::can::fd_size) continue;  // of a transport protocol
        const bool own = std::count(nodes.begin(), nodes.end(), message.sender) > 0;
        const can_mapping::MessageMap* map = map_of(mapping, i);
        Channel channel{.message = i, .period = nanoseconds(message.cycle_time)};
        if (map != nullptr) {
            channel.protection = map->protection;
            channel.limits = map->limits;
            const auto position = static_cast<std::size_t>(map - mapping.messages.data());
            for (std::size_t set = 0; set < mapping.sets.size(); ++set) {
                const auto& members = mapping.sets[set].members;
                const auto found = std::find(members.begin(), members.end(), position);
                if (found == members.end()) continue;
                channel.set = set;
                channel.member = std::uint64_t{1} << (found - members.begin());
            }
        }
        add_lines(message, plans[i], map, own ? inputs : outputs, channel);
        (own ? sent : received).push_back(std::move(channel));
    }
    for (const can_mapping::SetMap& set : mapping.sets) {
        if (set.members.size() > 64) throw std::runtime_error("the set '" + set.name + "' has more than 64 messages");
        sets.push_back(set.members.size() == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << set.members.size()) - 1);
    }
}

const Channel* Network::find(const interfaces::can::Frame& frame) const {
    const std::size_t message = plans.find(frame);
    const auto found = std::find_if(received.begin(), received.end(),
                                    [&](const Channel& channel) { return channel.message == message; });
    return found == received.end() ? nullptr : &*found;
}

}  // namespace fmus::can
