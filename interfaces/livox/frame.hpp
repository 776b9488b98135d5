#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// The network protocol of Livox LiDARs, generation 1 (Mid-40 to Mid-70, Avia): SDK 2.3 and its ROS 1 driver speak it.
namespace interfaces::livox {

/// CRC-16, polynomial 0x1021 reflected, as it stands in a frame's header.
[[nodiscard]] std::uint16_t crc16(std::span<const std::uint8_t> bytes);
/// CRC-32, polynomial 0x04C11DB7 reflected, as it stands at a frame's end.
[[nodiscard]] std::uint32_t crc32(std::span<const std::uint8_t> bytes);

inline constexpr std::size_t frame_overhead = 15;   // bytes around the data
inline constexpr std::size_t largest_frame = 1536;  // that the SDK builds
inline constexpr std::size_t frame_data_at = 11;    // offset of the data

enum class FrameType : std::uint8_t { command, acknowledge, message };

/// One frame of the control channel; the data are somebody else's bytes.
struct Frame {
    FrameType type = FrameType::command;
    std::uint16_t sequence = 0;  // an acknowledge repeats its command's
    std::uint8_t set = 0, id = 0;
    std::span<const std::uint8_t> data;
};

/// At most largest_frame - frame_overhead bytes of data.
[[nodiscard]] std::vector<std::uint8_t> encode(const Frame& frame);

/// The first whole frame in the bytes, which are shortened to what stands behind it. What is no frame is skipped.
[[nodiscard]] std::optional<Frame> next_frame(std::span<const std::uint8_t>& bytes);

}  // namespace interfaces::livox
