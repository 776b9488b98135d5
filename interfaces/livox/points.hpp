#pragma once

#include "interfaces/livox/commands.hpp"
#include "interfaces/point_cloud/point_cloud.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace interfaces::livox {

using point_cloud::Point;

/// What one point of a packet holds. The numbers are those of the wire.
enum class DataType : std::uint8_t {
    cartesian,       // x y z int32 mm, reflectivity
    spherical,       // depth uint32 mm, zenith and azimuth uint16 0.01 degrees, reflectivity
    cartesian_tag,   // as cartesian, and a tag
    spherical_tag,   // as spherical, and a tag
    dual_cartesian,  // two returns as cartesian_tag
    dual_spherical,  // zenith, azimuth, then twice depth, reflectivity, tag
    imu,             // only its size is known here, as of the two below
    triple_cartesian,
    triple_spherical,
};

struct DataLayout {
    std::size_t point_size, points, returns;
    bool spherical, tagged;
    [[nodiscard]] constexpr std::size_t data_size() const { return point_size * points; }
};
[[nodiscard]] const DataLayout& layout_of(DataType type);
/// The codec knows the points of types 0 to 5.
[[nodiscard]] constexpr bool has_points(DataType type) { return type <= DataType::dual_spherical; }

/// What a device with these settings sends; without tags, which old firmware lacks, there is no dual return.
[[nodiscard]] DataType data_type(Coordinates coordinates, ReturnMode mode, bool tagged);

inline constexpr std::int64_t point_interval = 10'000;  // ns between pulses of a Mid-70
inline constexpr std::size_t packet_header_size = 18, largest_packet = packet_header_size + 1344;

enum class TimestampType : std::uint8_t { none, ptp, reserved, gps, pps, unknown };

/// What stands before the points.
struct PacketHeader {
    std::uint8_t version = 5, slot = 1, id = 1;
    std::uint32_t status = 0;
    TimestampType timestamp_type = TimestampType::none;
    DataType data_type = DataType::cartesian_tag;
    std::uint64_t timestamp = 0;  // of the first point, as the type says
};
void encode(const PacketHeader& header, std::span<std::uint8_t, packet_header_size> bytes);

/// The time of a packet's first point in ns: since 1970 for GPS time, else since whenever the device says. None where
/// the type says that there is no time, and for dates that do not exist.
[[nodiscard]] std::optional<std::int64_t> time_of(const PacketHeader& header);

/// A packet of points in somebody's bytes.
class PacketView {
public:
    /// Nothing for less than a header and for types that nobody knows. Bytes beyond the last whole point are ignored.
    [[nodiscard]] static std::optional<PacketView> parse(std::span<const std::uint8_t> bytes);

    [[nodiscard]] const PacketHeader& header() const { return header_; }
    /// Pulses in the packet, and returns of each; no pulses for types whose points the codec does not know.
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t returns() const { return layout_of(header_.data_type).returns; }
    /// In metres; the time is counted on from the packet's by `point_interval`. pulse < size(), number < returns().
    [[nodiscard]] Point point(std::size_t pulse, std::size_t number) const;

private:
    PacketView(const PacketHeader& header, std::span<const std::uint8_t> points);
    PacketHeader header_;
    std::span<const std::uint8_t> points_;
    std::size_t size_ = 0;
    std::int64_t time_ = 0;
};

/// Packs a stream of points into full packets. A point whose tag says return 0 begins a pulse, those with higher
/// numbers that follow belong to it.
class PacketBuilder {
public:
    PacketBuilder(DataType type, ReturnMode mode, std::uint8_t slot = 1);

    /// The packet that was complete before this point, if one was; its bytes stand until the next call.
    [[nodiscard]] std::optional<std::span<const std::uint8_t>> add(const Point& point);
    /// The packet that was begun, filled up with points without return, if there is one; stands as that of add().
    [[nodiscard]] std::optional<std::span<const std::uint8_t>> flush();
    /// Of the packet that was returned last.
    [[nodiscard]] std::int64_t time() const { return sent_time_; }

private:
    [[nodiscard]] bool take_return(const Point& point);
    void write_pulse();
    [[nodiscard]] std::span<const std::uint8_t> packet();

    PacketHeader header_;
    ReturnMode mode_;
    std::array<std::uint8_t, largest_packet> bytes_{};
    std::array<Point, 2> pulse_{};  // the returns of the pulse that is not yet written
    std::size_t in_pulse_ = 0, pulses_ = 0;
    std::int64_t time_ = 0, sent_time_ = 0;
};

}  // namespace interfaces::livox
