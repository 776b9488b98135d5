#include "interfaces/livox/points.hpp"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>

namespace interfaces::livox {

namespace {

using point_cloud::put;
using point_cloud::take;

constexpr std::array<DataLayout, 9> layouts{{{13, 100, 1, false, false},
                                             {9, 100, 1, true, false},
                                             {14, 96, 1, false, true},
                                             {10, 96, 1, true, true},
                                             {28, 48, 2, false, true},
                                             {16, 48, 2, true, true},
                                             {24, 1, 0, false, false},
                                             {42, 30, 3, false, true},
                                             {22, 30, 3, true, true}}};
constexpr double radian_per_hundredth = std::numbers::pi / 18000;

std::int32_t millimetres(float metres) {
    const double value = std::nearbyint(1000.0 * static_cast<double>(metres));
    if (!(std::abs(value) <= std::numeric_limits<std::int32_t>::max())) return 0;  // also what is not a number
    return static_cast<std::int32_t>(value);
}

/// A direction and a distance as the wire has them: zenith from +z, azimuth from +x toward +y.
struct Spherical {
    std::uint32_t depth = 0;  // mm
    std::uint16_t zenith = 0, azimuth = 0;
};
Spherical spherical(const Point& point) {
    const double x = point.x, y = point.y, z = point.z, depth = std::sqrt(x * x + y * y + z * z);
    if (!(depth > 0) || depth > 4e6) return {};
    const auto zenith = std::nearbyint(std::acos(std::clamp(z / depth, -1.0, 1.0)) / radian_per_hundredth);
    const auto azimuth = static_cast<int>(std::nearbyint(std::atan2(y, x) / radian_per_hundredth));
    return {.depth = static_cast<std::uint32_t>(std::nearbyint(1000 * depth)),
            .zenith = static_cast<std::uint16_t>(zenith),
            .azimuth = static_cast<std::uint16_t>((azimuth + 36000) % 36000)};
}
void set_coordinates(Point& point, const Spherical& from) {
    const double depth = 1e-3 * from.depth, zenith = radian_per_hundredth * from.zenith;
    const double azimuth = radian_per_hundredth * from.azimuth;
    point.x = static_cast<float>(depth * std::sin(zenith) * std::cos(azimuth));
    point.y = static_cast<float>(depth * std::sin(zenith) * std::sin(azimuth));
    point.z = static_cast<float>(depth * std::cos(zenith));
}

std::uint8_t* put_cartesian(std::uint8_t* at, const Point& point) {
    put(at, static_cast<std::uint32_t>(millimetres(point.x)));
    put(at + 4, static_cast<std::uint32_t>(millimetres(point.y)));
    put(at + 8, static_cast<std::uint32_t>(millimetres(point.z)));
    return at + 12;
}
std::uint8_t* put_angles(std::uint8_t* at, const Spherical& from) {
    put(at, from.zenith);
    put(at + 2, from.azimuth);
    return at + 4;
}
std::uint8_t* put_depth(std::uint8_t* at, const Spherical& from) {
    put(at, from.depth);
    return at + 4;
}
std::uint8_t* put_strength(std::uint8_t* at, const Point& point, bool tagged) {
    *at++ = point.intensity;
    if (tagged) *at++ = point.tag;
    return at;
}

std::size_t return_number(const Point& point) { return point.tag >> 4U & 3U; }

}  // namespace

const DataLayout& layout_of(DataType type) {
    assert(static_cast<std::size_t>(type) < layouts.size());
    return layouts[static_cast<std::size_t>(type)];
}

DataType data_type(Coordinates coordinates, ReturnMode mode, bool tagged) {
    const int base = !tagged ? 0 : mode == ReturnMode::dual ? 4 : 2;
    return static_cast<DataType>(base + (coordinates == Coordinates::spherical ? 1 : 0));
}

void encode(const PacketHeader& header, std::span<std::uint8_t, packet_header_size> bytes) {
    bytes[0] = header.version;
    bytes[1] = header.slot;
    bytes[2] = header.id;
    bytes[3] = 0;
    put(&bytes[4], header.status);
    bytes[8] = static_cast<std::uint8_t>(header.timestamp_type);
    bytes[9] = static_cast<std::uint8_t>(header.data_type);
    put(&bytes[10], header.timestamp);
}

std::optional<std::int64_t> time_of(const PacketHeader& header) {
    const std::uint64_t bits = header.timestamp;
    switch (header.timestamp_type) {
        case TimestampType::none:
        case TimestampType::ptp:
        case TimestampType::pps:
            if (bits > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
            return static_cast<std::int64_t>(bits);
        case TimestampType::gps: {
            // Year since 2000, month, day, hour, one byte each, then the microseconds within the hour.
            using namespace std::chrono;
            const auto byte = [&](unsigned i) { return static_cast<unsigned>(bits >> (8 * i) & 0xFFU); };
            const year_month_day date{year{2000} + years{byte(0)}, month{byte(1)}, day{byte(2)}};
            const auto in_hour = microseconds{bits >> 32U};
            if (!date.ok() || byte(3) > 23 || in_hour > hours{1}) return std::nullopt;
            return nanoseconds{sys_days{date}.time_since_epoch() + hours{byte(3)} + in_hour}.count();
        }
        case TimestampType::reserved:
        case TimestampType::unknown:
            return std::nullopt;
    }
    return std::nullopt;
}

std::optional<PacketView> PacketView::parse(std::span<const std::uint8_t> bytes) {
    if (bytes.size() < packet_header_size || bytes[9] >= layouts.size()) return std::nullopt;
    const auto timestamp_type = std::min(bytes[8], static_cast<std::uint8_t>(TimestampType::unknown));
    const PacketHeader header{.version = bytes[0],
                              .slot = bytes[1],
                              .id = bytes[2],
                              .status = take<std::uint32_t>(&bytes[4]),
                              .timestamp_type = static_cast<TimestampType>(timestamp_type),
                              .data_type = static_cast<DataType>(bytes[9]),
                              .timestamp = take<std::uint64_t>(&bytes[10])};
    return PacketView(header, bytes.subspan(packet_header_size));
}

PacketView::PacketView(const PacketHeader& header, std::span<const std::uint8_t> points)
    : header_(header), points_(points), time_(time_of(header).value_or(0)) {
    if (has_points(header.data_type)) size_ = points.size() / layout_of(header.data_type).point_size;
}

Point PacketView::point(std::size_t pulse, std::size_t number) const {
    const DataLayout& layout = layout_of(header_.data_type);
    const std::uint8_t* at = points_.data() + pulse * layout.point_size;
    Point point;
    // Wraps where a sender's clock is at the end of its range.
    point.time = static_cast<std::int64_t>(static_cast<std::uint64_t>(time_) +
                                           static_cast<std::uint64_t>(pulse) * point_interval);
    if (!layout.spherical) {
        at += number * 14;  // a single return stands at the front
        const auto metres = [&](std::size_t i) {
            return static_cast<float>(static_cast<std::int32_t>(take<std::uint32_t>(at + 4 * i))) / 1000;
        };
        point.x = metres(0);
        point.y = metres(1);
        point.z = metres(2);
        at += 12;
    } else if (layout.returns == 1) {
        set_coordinates(point, {.depth = take<std::uint32_t>(at),
                                .zenith = take<std::uint16_t>(at + 4),
                                .azimuth = take<std::uint16_t>(at + 6)});
        at += 8;
    } else {
        const std::uint8_t* angles = at;
        at += 4 + 6 * number;
        set_coordinates(point, {.depth = take<std::uint32_t>(at),
                                .zenith = take<std::uint16_t>(angles),
                                .azimuth = take<std::uint16_t>(angles + 2)});
        at += 4;
    }
    point.intensity = at[0];
    if (layout.tagged) point.tag = at[1];
    return point;
}

PacketBuilder::PacketBuilder(DataType type, ReturnMode mode, std::uint8_t slot) : mode_(mode) {
    assert(has_points(type));
    header_.slot = slot;
    header_.data_type = type;
}

std::optional<std::span<const std::uint8_t>> PacketBuilder::add(const Point& point) {
    if (!take_return(point)) {
        if (in_pulse_ != 0) write_pulse();
        pulse_[0] = point;
        in_pulse_ = 1;
    }
    if (pulses_ < layout_of(header_.data_type).points) return std::nullopt;
    return packet();
}

std::optional<std::span<const std::uint8_t>> PacketBuilder::flush() {
    if (in_pulse_ != 0) write_pulse();
    in_pulse_ = 0;
    if (pulses_ == 0) return std::nullopt;
    pulse_ = {};
    while (pulses_ < layout_of(header_.data_type).points) write_pulse();
    return packet();
}

std::span<const std::uint8_t> PacketBuilder::packet() {
    pulses_ = 0;
    sent_time_ = time_;
    header_.timestamp = static_cast<std::uint64_t>(std::max<std::int64_t>(time_, 0));
    encode(header_, std::span(bytes_).first<packet_header_size>());
    return std::span(bytes_).first(packet_header_size + layout_of(header_.data_type).data_size());
}

/// True if the point is one more return of the pulse that was begun.
bool PacketBuilder::take_return(const Point& point) {
    if (in_pulse_ == 0 || return_number(point) == 0) return false;
    if (mode_ == ReturnMode::dual && in_pulse_ == 1) {
        pulse_[1] = point;
        in_pulse_ = 2;
    } else if (mode_ == ReturnMode::strongest && point.intensity > pulse_[0].intensity) {
        pulse_[0] = point;
    }
    return true;
}

void PacketBuilder::write_pulse() {
    const DataLayout& layout = layout_of(header_.data_type);
    if (pulses_ == 0) time_ = pulse_[0].time;
    if (in_pulse_ == 1) pulse_[1] = Point{};  // no second return
    std::uint8_t* at = bytes_.data() + packet_header_size + pulses_ * layout.point_size;
    ++pulses_;
    if (!layout.spherical) {
        for (std::size_t i = 0; i < layout.returns; ++i)
            at = put_strength(put_cartesian(at, pulse_[i]), pulse_[i], layout.tagged);
        return;
    }
    const Spherical first = spherical(pulse_[0]);
    if (layout.returns == 1) {
        put_strength(put_angles(put_depth(at, first), first), pulse_[0], layout.tagged);
        return;
    }
    // Both returns lie on one ray; where the first is none, the second knows its direction.
    const Spherical second = spherical(pulse_[1]);
    at = put_angles(at, first.depth != 0 ? first : second);
    at = put_strength(put_depth(at, first), pulse_[0], true);
    put_strength(put_depth(at, second), pulse_[1], true);
}

}  // namespace interfaces::livox
