#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Schemas of Protocol Buffers as data: what viewers and recordings carry beside their messages, so that others can
/// read them.
namespace interfaces::protobuf {

/// Numbers as in google/protobuf/descriptor.proto.
enum class FieldType : std::uint8_t {
    real = 1,
    int64 = 3,
    int32 = 5,
    fixed64 = 6,
    fixed32 = 7,
    boolean = 8,
    text = 9,
    message = 11,
    bytes = 12,
    enumeration = 14,
    sfixed64 = 16,
};

struct FieldSchema {
    std::string name;
    std::uint32_t number = 0;
    FieldType type = FieldType::real;
    std::string type_name = {};  // of a message or an enumeration, with a dot before it
    bool repeated = false;
};
struct EnumSchema {
    std::string name;
    std::vector<std::string> values;  // 0, 1, ...
};
struct MessageSchema {
    std::string name;
    std::vector<FieldSchema> fields;
    std::vector<EnumSchema> enums = {};
};
struct FileSchema {
    std::string name, package;
    std::vector<std::string> imports;
    std::vector<MessageSchema> messages;
};

/// A serialised google.protobuf.FileDescriptorSet; proto3. Files stand before those that import them.
[[nodiscard]] std::string descriptor_set(const std::vector<FileSchema>& files);

}  // namespace interfaces::protobuf
