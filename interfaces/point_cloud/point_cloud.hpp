#pragma once

#include "interfaces/bytes/bytes.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

/// A point cloud as bytes, between units and to the outside. All numbers are little endian.
///
///   header, 32 bytes                          point, 20 bytes
///   offset size                               offset size
///    0     4   magic "TPC1"                    0     4   x float32, m; sensor frame: x optical axis, y left, z up
///    4     2   version, 1                      4     4   y
///    6     2   bytes per point, 20             8     4   z
///    8     8   sequence number                12     4   time, ns, the lower 32 bits
///   16     8   time, ns, signed               16     2   object id: 0 nothing, 1 wall, 2 + i link i of the machine
///   24     4   number of points               18     1   intensity
///   28     4   reserved, 0                    19     1   tag (Livox; bits 5-4: number of the return)
///
/// The header's time is the end of the window the points come from; a point was measured at the last instant up to then
/// that has its lower 32 bits, so windows may last 4.29 s. A ray without a return is a point at (0, 0, 0). Points are
/// in the order of their times, the oldest first. Object ids are for checking only; a real sensor knows none.
namespace interfaces::point_cloud {

inline constexpr const char* mime_type = "application/x-tandem-points; version=1";
inline constexpr std::size_t header_size = 32, point_size = 20;

struct Header {
    std::uint64_t sequence = 0;
    std::int64_t time = 0;  // ns
    std::uint32_t count = 0;
};
struct Point {
    float x = 0, y = 0, z = 0;
    std::uint16_t object = 0;
    std::uint8_t intensity = 0, tag = 0;
    std::int64_t time = 0;  // ns
};

[[nodiscard]] constexpr std::size_t size_of(std::size_t points) { return header_size + point_size * points; }

using bytes::put;
using bytes::take;

void encode(const Header& header, std::span<std::uint8_t, header_size> bytes);
// Points are written and read here: a hundred thousand per second, for which a call costs as much as the work.
inline void encode(const Point& point, std::span<std::uint8_t, point_size> bytes) {
    put(&bytes[0], std::bit_cast<std::uint32_t>(point.x));
    put(&bytes[4], std::bit_cast<std::uint32_t>(point.y));
    put(&bytes[8], std::bit_cast<std::uint32_t>(point.z));
    put(&bytes[12], static_cast<std::uint32_t>(static_cast<std::uint64_t>(point.time)));
    put(&bytes[16], point.object);
    bytes[18] = point.intensity;
    bytes[19] = point.tag;
}

/// A point cloud in somebody's bytes.
class View {
public:
    /// Nothing if the bytes are no point cloud: too short, another magic or version, a size that is not that of the
    /// stated number of points, a reserved number that is not zero.
    [[nodiscard]] static std::optional<View> parse(std::span<const std::uint8_t> bytes);

    [[nodiscard]] const Header& header() const { return header_; }
    [[nodiscard]] std::size_t size() const { return header_.count; }
    /// i < size(). Coordinates are as they stand in the bytes, finite or not.
    [[nodiscard]] Point operator[](std::size_t i) const {
        const std::uint8_t* at = points_.data() + point_size * i;
        const auto end = static_cast<std::uint64_t>(header_.time);
        const auto age = static_cast<std::uint32_t>(static_cast<std::uint32_t>(end) - take<std::uint32_t>(at + 12));
        return {.x = std::bit_cast<float>(take<std::uint32_t>(at)),
                .y = std::bit_cast<float>(take<std::uint32_t>(at + 4)),
                .z = std::bit_cast<float>(take<std::uint32_t>(at + 8)),
                .object = take<std::uint16_t>(at + 16),
                .intensity = at[18],
                .tag = at[19],
                .time = static_cast<std::int64_t>(end - age)};
    }

private:
    View(const Header& header, std::span<const std::uint8_t> points) : header_(header), points_(points) {}
    Header header_;
    std::span<const std::uint8_t> points_;
};

}  // namespace interfaces::point_cloud
