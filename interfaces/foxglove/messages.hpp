#pragma once

#include "interfaces/protobuf/wire.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// Messages that Foxglove, Lichtblick, PlotJuggler and rerun understand: Protocol Buffers with schemas that travel
/// along. Poses and clouds have Foxglove's own schemas, numbers and texts one of ours for each component.
namespace interfaces::foxglove {

using protobuf::Bytes;

struct Schema {
    std::string name;
    std::string data;  // a serialised google.protobuf.FileDescriptorSet
};

[[nodiscard]] Schema transforms_schema();  // foxglove.FrameTransforms
[[nodiscard]] Schema cloud_schema();       // foxglove.PointCloud

/// One row x y z qx qy qz qw per frame, in the parent's; as many frames as there are poses for. Time in ns.
void put_transforms(Bytes& out, std::int64_t time, std::string_view parent, std::span<const std::string> frames,
                    std::span<const double> poses);
/// The points of a cloud as interfaces/point_cloud describes them, in the sensor's frame. False: it is none.
[[nodiscard]] bool put_cloud(Bytes& out, std::int64_t time, std::string_view frame,
                             std::span<const std::uint8_t> cloud);

struct Point {
    float x = 0, y = 0, z = 0;
    std::uint8_t object = 0;
};
/// Points that somebody chose and rounded.
void put_points(Bytes& out, std::int64_t time, std::string_view frame, std::span<const Point> points);

}  // namespace interfaces::foxglove
