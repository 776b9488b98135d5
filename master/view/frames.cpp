#include "master/view/frames.hpp"

#include "interfaces/bytes/bytes.hpp"
#include "interfaces/point_cloud/point_cloud.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace master::view {
namespace {

using interfaces::point_cloud::Point;

template <class Bits>
void append(Frame& frame, Bits bits) {
    frame.resize(frame.size() + sizeof bits);
    interfaces::bytes::put(frame.data() + frame.size() - sizeof bits, bits);
}
void append_double(Frame& frame, double value) { append(frame, std::bit_cast<std::uint64_t>(value)); }
void append_float(Frame& frame, double value) {
    append(frame, std::bit_cast<std::uint32_t>(static_cast<float>(value)));
}

Frame begin(FrameHead head, FrameKind kind, std::size_t bytes) {
    Frame frame;
    frame.reserve(frame_head_size + bytes);
    append(frame, static_cast<std::uint8_t>(kind));
    append(frame, std::uint8_t{1});
    append(frame, head.stream);
    append(frame, head.sequence);
    append_double(frame, head.time);
    append(frame, head.run);
    return frame;
}

bool returned(const Point& point) {
    return std::isfinite(point.x) && std::isfinite(point.y) && std::isfinite(point.z) &&
           (point.x != 0 || point.y != 0 || point.z != 0);
}

}  // namespace

Frame state_frame(FrameHead head, const StateInfo& info, std::span<const double> values) {
    Frame frame = begin(head, FrameKind::state, 28 + 8 * values.size());
    append(frame, info.flags);
    append_double(frame, info.real_time_factor);
    append_double(frame, info.age);
    append(frame, static_cast<std::uint32_t>(values.size()));
    append(frame, std::uint32_t{0});
    for (const double value : values) append_double(frame, value);
    return frame;
}

void add_flags(Frame& state, std::uint32_t flags) {
    std::uint8_t* const at = state.data() + frame_head_size;
    interfaces::bytes::put(at, interfaces::bytes::take<std::uint32_t>(at) | flags);
}

Frame array_frame(FrameHead head, std::uint32_t index, std::span<const double> values) {
    Frame frame = begin(head, FrameKind::array, 8 + 4 * values.size());
    append(frame, index);
    append(frame, static_cast<std::uint32_t>(values.size()));
    for (const double value : values) append_float(frame, value);
    return frame;
}

Frame json_frame(FrameHead head, std::string_view text) {
    Frame frame = begin(head, FrameKind::json, text.size());
    frame.insert(frame.end(), text.begin(), text.end());
    return frame;
}

Frame packet_frame(FrameHead head, std::span<const std::uint8_t> datagram) {
    Frame frame = begin(head, FrameKind::packet, datagram.size());
    frame.insert(frame.end(), datagram.begin(), datagram.end());
    return frame;
}

std::optional<Frame> cloud_frame(FrameHead head, std::span<const double, 7> pose, std::span<const std::uint8_t> cloud,
                                 std::size_t budget) {
    const auto view = interfaces::point_cloud::View::parse(cloud);
    if (!view) return std::nullopt;
    std::size_t total = 0;
    float farthest = 0;
    for (std::size_t i = 0; i < view->size(); ++i) {
        const Point point = (*view)[i];
        if (!returned(point)) continue;
        ++total;
        farthest = std::max({farthest, std::fabs(point.x), std::fabs(point.y), std::fabs(point.z)});
    }
    const std::size_t count = std::min(total, budget);
    const double scale = farthest > 0 ? static_cast<double>(farthest) / 32767 : 1e-3;
    Frame frame = begin(head, FrameKind::cloud, 40 + 7 * count);
    append(frame, static_cast<std::uint32_t>(count));
    append_float(frame, scale);
    for (const double value : pose) append_float(frame, value);
    append(frame, static_cast<std::uint32_t>(total));
    std::vector<std::uint8_t> objects;
    objects.reserve(count);
    std::size_t seen = 0;
    const auto count_on = [&](double value) {
        append(frame, static_cast<std::uint16_t>(
                          static_cast<std::int16_t>(std::clamp(std::lround(value / scale), -32767L, 32767L))));
    };
    for (std::size_t i = 0; i < view->size() && objects.size() < count; ++i) {
        const Point point = (*view)[i];
        if (!returned(point)) continue;
        // The k-th is taken where k * count / total reaches another whole number.
        const bool taken = (seen + 1) * count / total > seen * count / total;
        ++seen;
        if (!taken) continue;
        count_on(point.x);
        count_on(point.y);
        count_on(point.z);
        objects.push_back(static_cast<std::uint8_t>(std::min<std::uint16_t>(point.object, 2)));
    }
    frame.insert(frame.end(), objects.begin(), objects.end());
    return frame;
}

}  // namespace master::view
