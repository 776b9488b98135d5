#include "interfaces/canopen/sensors/excavator.hpp"

#include "interfaces/canopen/object_table.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace interfaces::canopen {
namespace {

// Which profile, and in the upper half which kind of device in it.
constexpr std::uint32_t one_axis_16_bit = 0x0001019A, two_axes_32_bit = 0x0004019A, multi_turn = 0x00020196,
                        absolute_linear = 0x00080196, analogue_input = 0x00020194;

std::uint64_t real(float value) { return std::bit_cast<std::uint32_t>(value); }

/// Value and parameters of one slope in one width.
void add_slope(ObjectTable& table, std::uint16_t base, const std::string& name, Type type) {
    using enum Type;
    using enum Access;
    table.variable(base, "Slope " + name, {.type = type, .mappable = true});
    table.variable(base + 1, "Slope " + name + " operating parameter",
                   {.type = unsigned8, .access = rw, .low = 0, .high = 3});
    table.variable(base + 2, "Slope " + name + " preset value", {.type = type, .access = rw});
    table.variable(base + 3, "Slope " + name + " offset", {.type = type});
    table.variable(base + 4, "Differential slope " + name + " offset", {.type = type, .access = rw});
}

Dictionary inclinometer_1d() {
    using enum Type;
    using enum Access;
    ObjectTable table;
    table.device({.type = one_axis_16_bit, .name = "Tandem inclinometer, one axis", .product = 0x41001});
    table.tpdo(0, {.mapping = {0x60100010}});
    table.variable(0x6000, "Resolution", {.type = unsigned16, .access = rw, .initial = 10});
    add_slope(table, 0x6010, "long16", integer16);
    return table.dictionary();
}

Dictionary inclinometer_2d() {
    using enum Type;
    using enum Access;
    ObjectTable table;
    table.device({.type = two_axes_32_bit, .name = "Tandem inclinometer, two axes", .product = 0x41002});
    table.tpdo(0, {.mapping = {0x60100010, 0x60200010}});
    table.tpdo(1, {.cob_id = 0x80000280, .mapping = {0x61100020, 0x61200020}});
    table.variable(0x6000, "Resolution", {.type = unsigned16, .access = rw, .initial = 10});
    add_slope(table, 0x6010, "long16", integer16);
    add_slope(table, 0x6020, "lateral16", integer16);
    add_slope(table, 0x6110, "long32", integer32);
    add_slope(table, 0x6120, "lateral32", integer32);
    return table.dictionary();
}

/// What both encoders have.
void add_encoder(ObjectTable& table, Type position, std::uint64_t resolution) {
    using enum Type;
    using enum Access;
    table.tpdo(0, {.mapping = {0x60040020}});
    table.tpdo(1, {.cob_id = 0x80000280,
                   .type = 1,
                   .inhibit_100us = 0,
                   .event_timer_ms = 0,
                   .mapping = {0x60040020, 0x60300110}});
    table.variable(0x6003, "Preset value", {.type = position, .access = rw});
    table.variable(0x6004, "Position value", {.type = position, .mappable = true});
    table.array(0x6030, "Speed value", {{1, "Speed value of channel 1", {.type = integer16, .mappable = true}}});
    table.variable(0x6200, "Cyclic timer", {.type = unsigned16, .access = rw, .initial = 10});
    table.variable(0x6500, "Operating status", {.type = unsigned16});
    table.variable(0x6501, "Measuring step or single-turn resolution", {.access = constant, .initial = resolution});
    table.variable(0x6503, "Alarms", {.type = unsigned16, .mappable = true});
    table.variable(0x6504, "Supported alarms", {.type = unsigned16, .access = constant, .initial = 1});
    table.variable(0x6505, "Warnings", {.type = unsigned16, .mappable = true});
    table.variable(0x6506, "Supported warnings", {.type = unsigned16, .access = constant});
    table.variable(0x6507, "Profile and software version", {.access = constant, .initial = 0x01000302});
    table.variable(0x6508, "Operating time", {});
    table.variable(0x6509, "Offset value", {.type = integer32});
    table.variable(0x650B, "Serial number of the encoder", {.access = constant});
}

void add_module(ObjectTable& table, std::uint64_t offset, std::uint64_t low, std::uint64_t high) {
    using enum Type;
    using enum Access;
    table.array(0x650A, "Module identification",
                {{1, "Manufacturer offset value", {.type = integer32, .access = constant, .initial = offset}},
                 {2, "Manufacturer minimum position", {.type = integer32, .access = constant, .initial = low}},
                 {3, "Manufacturer maximum position", {.type = integer32, .access = constant, .initial = high}}});
}

/// 1.25 m of wire in steps of 0.01 mm.
Dictionary draw_wire() {
    using enum Type;
    using enum Access;
    ObjectTable table;
    table.device({.type = absolute_linear, .name = "Tandem draw-wire sensor", .product = 0x40601});
    add_encoder(table, integer32, 10000);
    table.variable(0x6000, "Operating parameters", {.type = unsigned16, .access = rw, .low = 0, .high = 0x0F});
    table.variable(0x6002, "Total measuring range", {.access = rw, .initial = 125000});
    table.array(
        0x6005, "Measuring step settings",
        {{1, "Position step", {.access = rw, .initial = 10000}}, {2, "Speed step", {.access = rw, .initial = 10}}});
    add_module(table, 0, 0, 125000);
    return table.dictionary();
}

/// 65536 steps per turn and 4096 turns, delivered in the middle of them: the tool turns both ways.
Dictionary rotary_encoder() {
    using enum Type;
    using enum Access;
    ObjectTable table;
    table.device({.type = multi_turn, .name = "Tandem rotary encoder", .product = 0x40602});
    add_encoder(table, unsigned32, 65536);
    table.variable(0x6000, "Operating parameters", {.type = unsigned16, .access = rw, .low = 0, .high = 0x0F});
    table.variable(0x6001, "Measuring units per revolution", {.access = rw, .initial = 65536});
    table.variable(0x6002, "Total measuring range", {.access = rw, .initial = 1u << 28});
    table.variable(0x6502, "Number of distinguishable revolutions",
                   {.type = unsigned16, .access = constant, .initial = 4096});
    add_module(table, 1u << 27, 0, (1u << 28) - 1);
    return table.dictionary();
}

/// 0 to 400 bar.
Dictionary pressure_transmitter() {
    using enum Type;
    using enum Access;
    ObjectTable table;
    const auto channel = [&](std::uint16_t index, const std::string& name, const Facts& facts) {
        table.array(index, name, {{1, name + " 1", facts}});
    };
    table.device({.type = analogue_input, .name = "Tandem pressure transmitter", .product = 0x40401});
    table.tpdo(0, {.mapping = {0x61300120, 0x61500108}});
    channel(0x6100, "AI field value", {.type = real32, .mappable = true});
    channel(0x6110, "AI sensor type", {.type = unsigned16, .access = constant, .initial = 0x5A});
    channel(0x6120, "AI input scaling 1 FV", {.type = real32, .access = rw, .initial = real(0)});
    channel(0x6121, "AI input scaling 1 PV", {.type = real32, .access = rw, .initial = real(0)});
    channel(0x6122, "AI input scaling 2 FV", {.type = real32, .access = rw, .initial = real(400)});
    channel(0x6123, "AI input scaling 2 PV", {.type = real32, .access = rw, .initial = real(400)});
    channel(0x6124, "AI input offset", {.type = real32, .access = rw, .initial = real(0)});
    channel(0x6125, "AI autozero", {.access = wo});
    channel(0x6130, "AI input process value", {.type = real32, .mappable = true});
    channel(0x6131, "AI physical unit process value", {.access = rw, .initial = 0x004E0000});
    channel(0x6132, "AI decimal digits process value",
            {.type = unsigned8, .access = rw, .initial = 1, .low = 0, .high = 6});
    channel(0x6148, "AI span start", {.type = real32, .access = rw, .initial = real(0)});
    channel(0x6149, "AI span end", {.type = real32, .access = rw, .initial = real(400)});
    channel(0x6150, "AI status", {.type = unsigned8, .mappable = true});
    channel(0x61A0, "AI filter type", {.type = unsigned8, .access = rw});
    channel(0x61A1, "AI filter constant",
            {.type = unsigned8, .access = rw, .initial = 1, .low = 1, .high = Measurement::history_size});
    channel(0x7130, "AI input process value int16", {.type = integer16, .mappable = true});
    channel(0x9130, "AI input process value int32", {.type = integer32, .mappable = true});
    return table.dictionary();
}

struct Placed {
    std::uint8_t id;
    const char* name;
    const char* kind;
    std::vector<std::pair<const char*, Key>> signals;
};

Node place(const Placed& placed, const std::vector<SensorKind>& kinds) {
    const auto kind = std::ranges::find(kinds, placed.kind, &SensorKind::name);
    assert(kind != kinds.end());
    Node node{.name = placed.name, .commissioning = {.node_id = placed.id, .serial = 1000u + placed.id}};
    node.device.dictionary = kind->dictionary;
    node.device.profile = profile_of(node.device.dictionary);
    for (const auto& [name, key] : placed.signals)
        node.signals.push_back({.name = name,
                                .entry = *node.device.dictionary.find(key),
                                .channel = node.device.profile->channel_of(key)});
    return node;
}

}  // namespace

std::vector<SensorKind> sensor_kinds() {
    return {{"inclinometer_1d", inclinometer_1d()},
            {"inclinometer_2d", inclinometer_2d()},
            {"draw_wire", draw_wire()},
            {"rotary_encoder", rotary_encoder()},
            {"pressure_transmitter", pressure_transmitter()}};
}

std::vector<Node> excavator_sensors() {
    constexpr Key slope_long{0x6010, 0}, slope_lateral{0x6020, 0}, position{0x6004, 0}, process_value{0x6130, 1};
    const std::vector<Placed> all{{1, "boom", "inclinometer_1d", {{"inclination.boom", slope_long}}},
                                  {2, "adjust", "inclinometer_1d", {{"inclination.adjust", slope_long}}},
                                  {3, "arm", "inclinometer_1d", {{"inclination.arm", slope_long}}},
                                  {4, "coupler", "inclinometer_1d", {{"inclination.coupler", slope_long}}},
                                  {5, "frame", "inclinometer_2d", {{"pitch", slope_long}, {"roll", slope_lateral}}},
                                  {6, "slew", "draw_wire", {{"slew.length", position}}},
                                  {7, "rotate", "rotary_encoder", {{"rotate.angle", position}}},
                                  {0x10, "jaw_a", "pressure_transmitter", {{"jaw.pressure_a", process_value}}},
                                  {0x11, "jaw_b", "pressure_transmitter", {{"jaw.pressure_b", process_value}}}};
    const std::vector<SensorKind> kinds = sensor_kinds();
    std::vector<Node> nodes;
    nodes.reserve(std::size(all));
    for (const Placed& placed : all) nodes.push_back(place(placed, kinds));
    return nodes;
}

}  // namespace interfaces::canopen
