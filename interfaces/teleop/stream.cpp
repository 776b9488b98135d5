#include "interfaces/teleop/stream.hpp"

#include "interfaces/bytes/bytes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace interfaces::teleop {

namespace {

using bytes::put;
using bytes::take;

constexpr std::uint8_t magic = 0x54, version = 1;
constexpr std::array<std::size_t, 6> payload_sizes{2 * pose_size, 2 * edge_size, 8, 12 + 2 * axis_count, 4, 4};
constexpr std::int16_t nothing = std::numeric_limits<std::int16_t>::min();
constexpr double lever_unit = 1.0 / 32767;
enum StatusFlag : std::uint8_t { axes_may_move = 1 };
enum CommandFlag : std::uint16_t { dead_man_held = 1, gives_back = 2 };

/// To the nearest digit; what is beyond the range stays at its end.
std::int16_t digits(double value, double unit) {
    if (std::isnan(value)) return nothing;
    constexpr double most = std::numeric_limits<std::int16_t>::max();
    return static_cast<std::int16_t>(std::clamp(std::nearbyint(value / unit), -most, most));
}
double value_of(std::int16_t digits, double unit) {
    return digits == nothing ? std::numeric_limits<double>::quiet_NaN() : digits * unit;
}
double wrapped(double angle) { return std::remainder(angle, 2 * std::numbers::pi); }

void put_digits(std::uint8_t* at, std::int16_t digits) { put(at, static_cast<std::uint16_t>(digits)); }
std::int16_t take_digits(const std::uint8_t* at) { return static_cast<std::int16_t>(take<std::uint16_t>(at)); }

void put_time(std::uint8_t* at, std::int64_t nanoseconds) {
    const auto us = static_cast<std::uint64_t>(std::max<std::int64_t>(nanoseconds, 0) / 1000);
    put(at, static_cast<std::uint32_t>(us));
    put(at + 4, static_cast<std::uint16_t>(us >> 32U));
}
std::int64_t take_time(const std::uint8_t* at) {
    return static_cast<std::int64_t>(take<std::uint32_t>(at) | std::uint64_t{take<std::uint16_t>(at + 4)} << 32U) *
           1000;
}

void put_content(std::uint8_t* at, const Pose& pose) {
    for (std::size_t i = 0; i < pose_size; ++i) {
        const PoseChannel& channel = pose_channels[i];
        put_digits(at + 2 * i, digits(channel.wraps ? wrapped(pose.values[i]) : pose.values[i], channel.unit));
    }
}
void put_content(std::uint8_t* at, const Edge& edge) {
    for (std::size_t i = 0; i < edge_size; ++i) put_digits(at + 2 * i, digits(edge.heights[i], edge_unit));
}
void put_content(std::uint8_t* at, const Status& status) {
    put(at, status.holder);
    at[4] = status.may_move ? axes_may_move : 0;
    at[5] = 0;
    put(at + 6, status.waiting);
}
void put_content(std::uint8_t* at, const Command& command) {
    put(at, command.operator_id);
    put(at + 4, static_cast<std::uint16_t>((command.held ? dead_man_held : 0) | (command.released ? gives_back : 0)));
    put_time(at + 6, command.seen);
    for (std::size_t i = 0; i < axis_count; ++i) {
        const double lever = std::isnan(command.levers[i]) ? 0 : command.levers[i];
        put_digits(at + 12 + 2 * i, digits(lever, lever_unit));
    }
}
void put_content(std::uint8_t* at, const Hello& hello) { put(at, hello.operator_id); }
void put_content(std::uint8_t* at, const Echo& echo) { put(at, echo.operator_id); }

Pose take_pose(const std::uint8_t* at) {
    Pose pose;
    for (std::size_t i = 0; i < pose_size; ++i)
        pose.values[i] = value_of(take_digits(at + 2 * i), pose_channels[i].unit);
    return pose;
}
Edge take_edge(const std::uint8_t* at) {
    Edge edge;
    for (std::size_t i = 0; i < edge_size; ++i) edge.heights[i] = value_of(take_digits(at + 2 * i), edge_unit);
    return edge;
}
Status take_status(const std::uint8_t* at) {
    return {.holder = take<std::uint32_t>(at),
            .may_move = (at[4] & axes_may_move) != 0,
            .waiting = take<std::uint16_t>(at + 6)};
}
std::optional<Command> take_command(const std::uint8_t* at) {
    const auto flags = take<std::uint16_t>(at + 4);
    Command command{.operator_id = take<std::uint32_t>(at),
                    .held = (flags & dead_man_held) != 0,
                    .released = (flags & gives_back) != 0,
                    .seen = take_time(at + 6)};
    for (std::size_t i = 0; i < axis_count; ++i) {
        const std::int16_t lever = take_digits(at + 12 + 2 * i);
        if (lever == nothing) return std::nullopt;
        command.levers[i] = lever * lever_unit;
    }
    if (command.operator_id == 0) return std::nullopt;
    return command;
}

}  // namespace

std::vector<std::uint8_t> encode(const Packet& packet, const Key* key) {
    std::vector<std::uint8_t> bytes(packet_header + payload_sizes[packet.content.index()]);
    bytes[0] = magic;
    bytes[1] = static_cast<std::uint8_t>(version << 4U | (packet.content.index() + 1));
    put(&bytes[2], packet.header.session);
    put(&bytes[6], packet.header.sequence);
    put_time(&bytes[10], packet.header.time);
    std::visit([&](const auto& content) { put_content(&bytes[packet_header], content); }, packet.content);
    if (key != nullptr) {
        const auto tag = key->tag(bytes);
        bytes.insert(bytes.end(), tag.begin(), tag.end());
    }
    return bytes;
}

std::optional<Packet> decode(std::span<const std::uint8_t> bytes, const Key* key) {
    const std::size_t tag = key != nullptr ? Key::tag_size : 0;
    if (bytes.size() < packet_header + tag || bytes[0] != magic || bytes[1] >> 4U != version) return std::nullopt;
    const std::size_t kind = bytes[1] & 0xFU;
    if (kind < 1 || kind > payload_sizes.size()) return std::nullopt;
    if (bytes.size() != packet_header + payload_sizes[kind - 1] + tag) return std::nullopt;
    const auto signed_part = bytes.first(bytes.size() - tag);
    if (key != nullptr && !key->matches(signed_part, bytes.last(tag))) return std::nullopt;
    Packet packet{.header = {.session = take<std::uint32_t>(&bytes[2]),
                             .sequence = take<std::uint32_t>(&bytes[6]),
                             .time = take_time(&bytes[10])},
                  .content = Pose{}};
    const std::uint8_t* payload = &bytes[packet_header];
    switch (kind) {
        case 1:
            packet.content = take_pose(payload);
            return packet;
        case 2:
            packet.content = take_edge(payload);
            return packet;
        case 3:
            packet.content = take_status(payload);
            return packet;
        case 4: {
            const auto command = take_command(payload);
            if (!command) return std::nullopt;
            packet.content = *command;
            return packet;
        }
        default: {
            const auto operator_id = take<std::uint32_t>(payload);
            if (operator_id == 0) return std::nullopt;
            if (kind == 5)
                packet.content = Hello{operator_id};
            else
                packet.content = Echo{operator_id};
            return packet;
        }
    }
}

}  // namespace interfaces::teleop
