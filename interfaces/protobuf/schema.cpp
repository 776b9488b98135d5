#include "interfaces/protobuf/schema.hpp"

#include "interfaces/protobuf/wire.hpp"

namespace interfaces::protobuf {
namespace {

constexpr std::uint64_t optional_label = 1, repeated_label = 3;

// The numbers of fields are those of google/protobuf/descriptor.proto.

void put(Writer& out, const FieldSchema& field) {
    out.text(1, field.name);
    out.varint(3, field.number);
    out.varint(4, field.repeated ? repeated_label : optional_label);
    out.varint(5, static_cast<std::uint64_t>(field.type));
    if (!field.type_name.empty()) out.text(6, field.type_name);
}

void put(Writer& out, const EnumSchema& enumeration) {
    out.text(1, enumeration.name);
    for (std::uint64_t value = 0; value < enumeration.values.size(); ++value)
        out.message(2, [&](Writer& inner) {
            inner.text(1, enumeration.values[value]);
            inner.varint(2, value);
        });
}

void put(Writer& out, const MessageSchema& message) {
    out.text(1, message.name);
    for (const FieldSchema& field : message.fields) out.message(2, [&](Writer& inner) { put(inner, field); });
    for (const EnumSchema& each : message.enums) out.message(4, [&](Writer& inner) { put(inner, each); });
}

void put(Writer& out, const FileSchema& file) {
    out.text(1, file.name);
    out.text(2, file.package);
    for (const std::string& import : file.imports) out.text(3, import);
    for (const MessageSchema& message : file.messages) out.message(4, [&](Writer& inner) { put(inner, message); });
    out.text(12, "proto3");
}

}  // namespace

std::string descriptor_set(const std::vector<FileSchema>& files) {
    Bytes bytes;
    Writer out(bytes);
    for (const FileSchema& file : files) out.message(1, [&](Writer& inner) { put(inner, file); });
    return {bytes.begin(), bytes.end()};
}

}  // namespace interfaces::protobuf
