#pragma once

#include "interfaces/teleop/key.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

/// Teleoperation over a thin link: the machine's pose and the wall's edge to the operator, his levers back. UDP, little
/// endian.
///
/// Every packet begins with 16 bytes:
///    0  1  0x54
///    1  1  version 1 in the upper four bits, kind in the lower
///    2  4  session, given by the machine
///    6  4  sequence
///   10  6  time of the sender, us
/// Then, by kind:
///   1 pose     9 x int16, see pose_channels
///   2 edge     300 x int16 mm; -32768: not seen
///   3 status   uint32 operator in control or 0, uint8 flags (1: axes may move), uint8 0, uint16 axes that wait for a
///              neutral lever
///   4 command  uint32 operator, uint16 flags (1: dead-man held, 2: gives control back), 6 bytes time of the newest
///              telemetry seen, 8 x int16 levers
///   5 hello    uint32 operator: who says this gets the stream for two seconds
///   6 echo     uint32 operator: the machine's answer to his hello, with the sequence of that
///
/// With a key, 16 bytes of HMAC-SHA256 over all of it follow.
namespace interfaces::teleop {

inline constexpr std::size_t pose_size = 9, edge_size = 300, axis_count = 8;
inline constexpr std::size_t packet_header = 16, largest_packet = packet_header + 2 * edge_size + Key::tag_size;
inline constexpr std::int64_t pose_period = 20'000'000, edge_period = 100'000'000, status_period = 500'000'000;  // ns

/// One number of the pose: its unit per digit, and whether it is an angle that is brought into (-pi, pi].
struct PoseChannel {
    std::string_view name;
    double unit;  // rad or m
    bool wraps;
};
inline constexpr std::array<PoseChannel, pose_size> pose_channels{{{"boom", 1e-4, true},
                                                                   {"adjust", 1e-4, true},
                                                                   {"arm", 1e-4, true},
                                                                   {"coupler", 1e-4, true},
                                                                   {"slew", 1e-4, false},
                                                                   {"rotate", 1e-4, true},
                                                                   {"jaw", 1e-4, false},
                                                                   {"pitch", 1e-4, true},
                                                                   {"roll", 1e-4, true}}};
inline constexpr double edge_unit = 1e-3;  // m
/// The axes that an operator moves, in the order of the levers.
inline constexpr std::array<std::string_view, axis_count> axes{"boom", "adjust", "arm", "coupler",
                                                               "slew", "rotate", "jaw", "travel"};

/// Inclinations and angles in rad, lengths in m; NaN: not available.
struct Pose {
    std::array<double, pose_size> values{};
};
/// Heights in m; NaN: not seen.
struct Edge {
    std::array<double, edge_size> heights{};
};
struct Status {
    std::uint32_t holder = 0;   // the operator in control, 0: nobody
    bool may_move = false;      // his dead-man is held and his view is fresh
    std::uint16_t waiting = 0;  // bit i: axis i waits for a neutral lever
};
struct Command {
    std::uint32_t operator_id = 0;
    bool held = false;      // the dead-man
    bool released = false;  // gives control back
    std::int64_t seen = 0;  // ns, the time of the newest telemetry the operator has seen; microseconds on the wire
    std::array<double, axis_count> levers{};  // -1 to 1
};
struct Hello {
    std::uint32_t operator_id = 0;
};
struct Echo {
    std::uint32_t operator_id = 0;
};

struct Header {
    std::uint32_t session = 0, sequence = 0;
    std::int64_t time = 0;  // ns; microseconds on the wire
};
struct Packet {
    Header header;
    std::variant<Pose, Edge, Status, Command, Hello, Echo> content;
};

/// With a tag if there is a key.
[[nodiscard]] std::vector<std::uint8_t> encode(const Packet& packet, const Key* key);
/// Nothing if the bytes are no packet of exactly one kind's size or, with a key, not signed with it.
[[nodiscard]] std::optional<Packet> decode(std::span<const std::uint8_t> bytes, const Key* key);

}  // namespace interfaces::teleop
