#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

/// The binary frames that a page receives; see README.md, "Frames".
namespace master::view {

using Frame = std::vector<std::uint8_t>;

enum class FrameKind : std::uint8_t { state = 1, cloud = 2, array = 3, json = 4, packet = 5 };

struct FrameHead {
    FrameKind kind = FrameKind::state;
    std::uint16_t stream = 0;
    std::uint32_t sequence = 0;
    double time = 0;
    std::uint32_t run = 1;
};
inline constexpr std::size_t frame_head_size = 20;

struct StateInfo {
    std::uint32_t flags = 0;
    double real_time_factor = 0, age = 0;
};

/// Kinds are set here.
[[nodiscard]] Frame state_frame(FrameHead head, const StateInfo& info, std::span<const double> values);
void add_flags(Frame& state, std::uint32_t flags);
[[nodiscard]] Frame array_frame(FrameHead head, std::uint32_t index, std::span<const double> values);
[[nodiscard]] Frame json_frame(FrameHead head, std::string_view text);
/// A datagram of the teleoperation stream as it came.
[[nodiscard]] Frame packet_frame(FrameHead head, std::span<const std::uint8_t> datagram);
/// At most `budget` of the points that returned, evenly chosen; nothing for bytes that are no point cloud.
[[nodiscard]] std::optional<Frame> cloud_frame(FrameHead head, std::span<const double, 7> pose,
                                               std::span<const std::uint8_t> cloud, std::size_t budget);

}  // namespace master::view
