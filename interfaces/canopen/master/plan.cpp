#include "interfaces/canopen/master/plan.hpp"

#include <algorithm>

namespace interfaces::canopen {
namespace {

Write make_write(const Node& node, Key key, std::uint64_t raw) {
    const Entry* entry = node.device.dictionary.find(key);
    std::vector<std::uint8_t> bytes(entry != nullptr ? entry->capacity : 4);
    store(bytes, raw);
    return {key, bytes};
}

/// The node's objects after these writes.
Image image_after(const Node& node, std::span<const Write> writes) {
    const Dictionary& dictionary = node.device.dictionary;
    Image image = dictionary.factory(node.commissioning.node_id);
    if (const Entry* serial = dictionary.find({0x1018, 4}); serial != nullptr && node.commissioning.serial)
        set_number(image, *serial, *node.commissioning.serial);
    for (const Write& write : writes)
        if (const Entry* entry = dictionary.find(write.key); entry != nullptr && write.bytes.size() <= entry->capacity)
            set_value(image, *entry, write.bytes);
    return image;
}

/// Device type and identity, as far as the node has them.
std::vector<Write> checks_of(const Node& node, const Image& image) {
    std::vector<Write> checks;
    for (const Key key : {Key{0x1000, 0}, Key{0x1018, 1}, Key{0x1018, 2}, Key{0x1018, 3}, Key{0x1018, 4}}) {
        const Entry* entry = node.device.dictionary.find(key);
        if (entry == nullptr) continue;
        // A device of which no serial number is known may have any.
        if (key.index == 0x1018 && key.sub == 4 && number(image, *entry) == 0) continue;
        checks.push_back(make_write(node, key, number(image, *entry)));
    }
    return checks;
}

Time period_of(const PdoSettings& pdo, const MasterSettings& settings) {
    if (pdo.on_event()) return std::max(pdo.event_period, pdo.event_period > Time{} ? pdo.inhibit : Time{});
    return pdo.on_sync() && pdo.type > 0 ? settings.sync_period * pdo.type : Time{};
}

Time scaled(Time time, double factor) {
    return Time(static_cast<Time::rep>(static_cast<double>(time.count()) * factor));
}

ReceivedPdo plan_pdo(const Node& node, const Image& image, const PdoSettings& pdo, const MasterSettings& settings,
                     std::uint32_t first_signal) {
    ReceivedPdo received{.cob_id = pdo.cob_id, .size = pdo.size};
    received.time_out = scaled(period_of(pdo, settings), settings.pdo_factor);
    std::uint8_t bit = 0;
    for (const PdoItem& item : std::span(pdo.items).first(pdo.count)) {
        for (std::size_t i = 0; i < node.signals.size(); ++i) {
            const Signal& signal = node.signals[i];
            if (item.size == 0 || signal.entry.offset != item.offset || signal.direction != Direction::transmit)
                continue;
            received.signals.push_back({.signal = first_signal + static_cast<std::uint32_t>(i),
                                        .first_bit = bit,
                                        .bits = item.bits,
                                        .type = signal.entry.type,
                                        .scale = scale_of(node.device, signal, image)});
        }
        bit += item.bits;
    }
    return received;
}

PlannedNode plan_node(const Node& node, const MasterSettings& settings, const NodeWishes& wishes,
                      std::uint32_t first_signal) {
    const Dictionary& dictionary = node.device.dictionary;
    PlannedNode planned{.name = node.name, .id = node.commissioning.node_id};
    if (settings.heartbeat_period > Time{} && dictionary.find({0x1017, 0}) != nullptr) {
        const auto period = std::chrono::duration_cast<std::chrono::milliseconds>(settings.heartbeat_period).count();
        planned.writes.push_back(make_write(node, {0x1017, 0}, static_cast<std::uint64_t>(period)));
    }
    for (const Write& write : wishes.writes) planned.writes.push_back(write);
    for (const auto& [number, wish] : wishes.pdos)
        for (Write& write : tpdo_writes(node, number, wish)) planned.writes.push_back(std::move(write));
    const Image image = image_after(node, planned.writes);
    planned.checks = checks_of(node, image);
    const Time heartbeat = std::chrono::milliseconds(dictionary.number_or(image, {0x1017, 0}, 0));
    planned.heartbeat_time_out = scaled(heartbeat, settings.heartbeat_factor);
    for (std::uint16_t i = 0; i < most_pdos; ++i) {
        const std::uint16_t index = first_tpdo + i;
        if (!dictionary.has_object(index)) continue;
        const PdoSettings pdo = pdo_settings(dictionary, image, index);
        if (pdo.valid && pdo.size > 0) planned.pdos.push_back(plan_pdo(node, image, pdo, settings, first_signal));
    }
    return planned;
}

}  // namespace

std::vector<Write> tpdo_writes(const Node& node, std::uint16_t number, const TpdoWishes& wishes) {
    const std::uint16_t communication = first_tpdo + number, mapping = communication + mapping_distance;
    const Entry* cob_id = node.device.dictionary.find({communication, 1});
    const std::uint64_t id =
        (cob_id != nullptr ? initial_number(*cob_id, node.commissioning.node_id) : 0) & ~std::uint64_t{cob_id_off};
    std::vector<Write> writes{make_write(node, {communication, 1}, id | cob_id_off)};
    if (wishes.type) writes.push_back(make_write(node, {communication, 2}, *wishes.type));
    if (wishes.inhibit_100us) writes.push_back(make_write(node, {communication, 3}, *wishes.inhibit_100us));
    if (wishes.event_timer_ms) writes.push_back(make_write(node, {communication, 5}, *wishes.event_timer_ms));
    if (wishes.mapping) {
        writes.push_back(make_write(node, {mapping, 0}, 0));
        for (std::size_t i = 0; i < wishes.mapping->size(); ++i)
            writes.push_back(make_write(node, {mapping, static_cast<std::uint8_t>(i + 1)}, (*wishes.mapping)[i]));
        writes.push_back(make_write(node, {mapping, 0}, wishes.mapping->size()));
    }
    writes.push_back(make_write(node, {communication, 1}, id));
    return writes;
}

MasterPlan make_plan(std::span<const Node> nodes, const MasterSettings& settings, std::span<const NodeWishes> wishes) {
    MasterPlan plan{.settings = settings};
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const auto first = static_cast<std::uint32_t>(plan.signals.size());
        plan.nodes.push_back(plan_node(nodes[i], settings, i < wishes.size() ? wishes[i] : NodeWishes{}, first));
        for (const Signal& signal : nodes[i].signals) plan.signals.push_back(signal.name);
    }
    return plan;
}

}  // namespace interfaces::canopen
