#pragma once

#include "fmus/common/declaring/variable.hpp"
#include "interfaces/point_cloud/point_cloud.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>

namespace fmus {

/// One second of a Mid-70; units promise this size of points.data in their model descriptions.
inline constexpr std::size_t most_points = 100'000;

[[nodiscard]] inline std::int64_t nanoseconds(double seconds) {
    return static_cast<std::int64_t>(std::floor(seconds * 1e9 + 0.5));
}

/// The points of the last while, as the bytes of a point cloud, the oldest first. The window slides through a buffer of
/// twice its size, so that only fresh points are written.
class PointWindow {
public:
    using Point = interfaces::point_cloud::Point;

    Bytes data;
    Part part;  // where the cloud lies in the data

    void reset(std::size_t capacity, std::int64_t time) {
        data.assign(2 * size_of(capacity), 0);
        part = {0, size_of(0)};
        finish(0, time);
    }
    /// The newest `kept` points stay, and there is room for `fresh` ones; together at most the capacity.
    void slide(std::size_t kept, std::size_t fresh) {
        part.begin += part.size - size_of(kept);
        part.size = size_of(kept);
        if (part.begin + size_of(kept + fresh) <= data.size()) return;
        const auto first = data.begin() + static_cast<std::ptrdiff_t>(part.begin);
        std::copy(first, first + static_cast<std::ptrdiff_t>(part.size), data.begin());
        part.begin = 0;
    }
    void add(const Point& point) {
        interfaces::point_cloud::encode(point, at<interfaces::point_cloud::point_size>(part.size));
        part.size += interfaces::point_cloud::point_size;
    }
    void finish(std::uint64_t sequence, std::int64_t time) {
        interfaces::point_cloud::encode(
            {.sequence = sequence, .time = time, .count = static_cast<std::uint32_t>(size())},
            at<interfaces::point_cloud::header_size>(0));
    }
    /// All of that for a stream: points before `begin` leave, and more where the fresh ones need their place.
    void advance(std::span<const Point> fresh, std::int64_t begin, std::uint64_t sequence, std::int64_t time) {
        const std::size_t capacity = (data.size() / 2 - size_of(0)) / interfaces::point_cloud::point_size;
        fresh = fresh.last(std::min(fresh.size(), capacity));
        std::size_t left = size() + fresh.size() - std::min(size() + fresh.size(), capacity);
        const auto cloud = interfaces::point_cloud::View::parse(std::span(data).subspan(part.begin, part.size));
        while (left < size() && (*cloud)[left].time < begin) ++left;
        slide(size() - left, fresh.size());
        for (const Point& point : fresh) add(point);
        finish(sequence, time);
    }
    [[nodiscard]] std::size_t size() const { return (part.size - size_of(0)) / interfaces::point_cloud::point_size; }
    auto members() { return std::tie(data, part.begin, part.size); }

private:
    static constexpr std::size_t size_of(std::size_t points) { return interfaces::point_cloud::size_of(points); }
    template <std::size_t bytes>
    std::span<std::uint8_t, bytes> at(std::size_t offset) {
        return std::span(data).subspan(part.begin + offset).template first<bytes>();
    }
};

}  // namespace fmus
