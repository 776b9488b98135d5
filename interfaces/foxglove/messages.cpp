#include "interfaces/foxglove/messages.hpp"

#include "interfaces/point_cloud/point_cloud.hpp"
#include "interfaces/protobuf/schema.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace interfaces::foxglove {
namespace {

using protobuf::FieldType;
using protobuf::FileSchema;
using protobuf::Writer;

constexpr std::uint64_t uint8_type = 1, uint16_type = 3, uint32_type = 5, float32_type = 7;

struct PackedField {
    const char* name;
    std::uint32_t offset;
    std::uint64_t type;
};
/// A point as interfaces/point_cloud lays it out.
constexpr std::array point_fields{
    PackedField{"x", 0, float32_type},      PackedField{"y", 4, float32_type},
    PackedField{"z", 8, float32_type},      PackedField{"time", 12, uint32_type},
    PackedField{"object", 16, uint16_type}, PackedField{"intensity", 18, uint8_type},
    PackedField{"tag", 19, uint8_type},
};

FileSchema timestamp_file() {
    return {.name = "google/protobuf/timestamp.proto",
            .package = "google.protobuf",
            .imports = {},
            .messages = {
                {.name = "Timestamp", .fields = {{"seconds", 1, FieldType::int64}, {"nanos", 2, FieldType::int32}}}}};
}

/// Names and numbers are those that Foxglove publishes; the files of it are one here.
FileSchema scene_file() {
    const auto vector = [](const char* name, bool with_w) {
        protobuf::MessageSchema message{.name = name, .fields = {{"x", 1}, {"y", 2}, {"z", 3}}};
        if (with_w) message.fields.push_back({"w", 4});
        return message;
    };
    const auto inner = [](const char* name, std::uint32_t number, const char* type, bool repeated = false) {
        return protobuf::FieldSchema{name, number, FieldType::message, type, repeated};
    };
    const auto stamp = inner("timestamp", 1, ".google.protobuf.Timestamp");
    return {
        .name = "foxglove/scene.proto",
        .package = "foxglove",
        .imports = {timestamp_file().name},
        .messages = {
            vector("Vector3", false),
            vector("Quaternion", true),
            {.name = "Pose",
             .fields = {inner("position", 1, ".foxglove.Vector3"), inner("orientation", 2, ".foxglove.Quaternion")}},
            {.name = "FrameTransform",
             .fields = {stamp,
                        {"parent_frame_id", 2, FieldType::text},
                        {"child_frame_id", 3, FieldType::text},
                        inner("translation", 4, ".foxglove.Vector3"),
                        inner("rotation", 5, ".foxglove.Quaternion")}},
            {.name = "FrameTransforms", .fields = {inner("transforms", 1, ".foxglove.FrameTransform", true)}},
            {.name = "PackedElementField",
             .fields = {{"name", 1, FieldType::text},
                        {"offset", 2, FieldType::fixed32},
                        {"type", 3, FieldType::enumeration, ".foxglove.PackedElementField.NumericType"}},
             .enums = {{"NumericType",
                        {"UNKNOWN", "UINT8", "INT8", "UINT16", "INT16", "UINT32", "INT32", "FLOAT32", "FLOAT64"}}}},
            {.name = "PointCloud",
             .fields = {stamp,
                        {"frame_id", 2, FieldType::text},
                        inner("pose", 3, ".foxglove.Pose"),
                        {"point_stride", 4, FieldType::fixed32},
                        inner("fields", 5, ".foxglove.PackedElementField", true),
                        {"data", 6, FieldType::bytes}}}}};
}

void put_time(Writer& out, std::int64_t time) {
    constexpr std::int64_t second = 1'000'000'000;
    std::int64_t seconds = time / second, nanos = time % second;
    if (nanos < 0) {
        --seconds;
        nanos += second;
    }
    out.message(1, [&](Writer& stamp) {
        stamp.varint(1, static_cast<std::uint64_t>(seconds));
        stamp.varint(2, static_cast<std::uint64_t>(nanos));
    });
}

void put_numbers(Writer& out, std::uint32_t field, std::span<const double> values) {
    out.message(field, [&](Writer& vector) {
        for (std::uint32_t i = 0; i < values.size(); ++i) vector.number(i + 1, values[i]);
    });
}

void put_cloud_head(Bytes& out, std::int64_t time, std::string_view frame, std::uint32_t stride,
                    std::span<const PackedField> fields) {
    constexpr std::array<double, 7> here{0, 0, 0, 0, 0, 0, 1};
    Writer message(out);
    put_time(message, time);
    message.text(2, frame);
    message.message(3, [&](Writer& pose) {
        put_numbers(pose, 1, std::span(here).first<3>());
        put_numbers(pose, 2, std::span(here).last<4>());
    });
    message.fixed32(4, stride);
    for (const PackedField& field : fields) {
        message.message(5, [&](Writer& packed) {
            packed.text(1, field.name);
            packed.fixed32(2, field.offset);
            packed.varint(3, field.type);
        });
    }
}

}  // namespace

Schema transforms_schema() {
    return {"foxglove.FrameTransforms", protobuf::descriptor_set({timestamp_file(), scene_file()})};
}
Schema cloud_schema() { return {"foxglove.PointCloud", protobuf::descriptor_set({timestamp_file(), scene_file()})}; }

void put_transforms(Bytes& out, std::int64_t time, std::string_view parent, std::span<const std::string> frames,
                    std::span<const double> poses) {
    Writer message(out);
    for (std::size_t i = 0; i < std::min(frames.size(), poses.size() / 7); ++i) {
        message.message(1, [&](Writer& transform) {
            put_time(transform, time);
            transform.text(2, parent);
            transform.text(3, frames[i]);
            put_numbers(transform, 4, poses.subspan(7 * i, 3));
            put_numbers(transform, 5, poses.subspan(7 * i + 3, 4));
        });
    }
}

bool put_cloud(Bytes& out, std::int64_t time, std::string_view frame, std::span<const std::uint8_t> cloud) {
    if (!point_cloud::View::parse(cloud)) return false;
    put_cloud_head(out, time, frame, point_cloud::point_size, point_fields);
    Writer(out).sized(6, cloud.subspan(point_cloud::header_size));
    return true;
}

void put_points(Bytes& out, std::int64_t time, std::string_view frame, std::span<const Point> points) {
    constexpr std::array fields{PackedField{"x", 0, float32_type}, PackedField{"y", 4, float32_type},
                                PackedField{"z", 8, float32_type}, PackedField{"object", 12, uint8_type}};
    constexpr std::uint32_t stride = 13;
    put_cloud_head(out, time, frame, stride, fields);
    Writer(out).begin_sized(6, stride * points.size());
    for (const Point& point : points) {
        for (const float coordinate : {point.x, point.y, point.z})
            protobuf::put_fixed(out, std::bit_cast<std::uint32_t>(coordinate));
        out.push_back(point.object);
    }
}

}  // namespace interfaces::foxglove
