#pragma once

#include "interfaces/bytes/bytes.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

/// Protocol Buffers on the wire: fields, each with a number. What a field means stands in a schema.
namespace interfaces::protobuf {

using Bytes = std::vector<std::uint8_t>;

enum class WireType : std::uint8_t { varint = 0, fixed64 = 1, sized = 2, fixed32 = 5 };

inline void put_varint(Bytes& out, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) out.push_back(static_cast<std::uint8_t>(value | 0x80U));
    out.push_back(static_cast<std::uint8_t>(value));
}

template <class Bits>
void put_fixed(Bytes& out, Bits bits) {
    const std::size_t at = out.size();
    out.resize(at + sizeof bits);
    bytes::put(out.data() + at, bits);
}

/// Appends fields to somebody's bytes, which grow until they have the size that is needed again and again.
class Writer {
public:
    explicit Writer(Bytes& out) : out_(out) {}

    void tag(std::uint32_t field, WireType type) {
        put_varint(out_, std::uint64_t{field} << 3U | static_cast<std::uint8_t>(type));
    }
    void varint(std::uint32_t field, std::uint64_t value) {
        tag(field, WireType::varint);
        put_varint(out_, value);
    }
    void fixed64(std::uint32_t field, std::uint64_t bits) {
        tag(field, WireType::fixed64);
        put_fixed(out_, bits);
    }
    void fixed32(std::uint32_t field, std::uint32_t bits) {
        tag(field, WireType::fixed32);
        put_fixed(out_, bits);
    }
    void number(std::uint32_t field, double value) { fixed64(field, std::bit_cast<std::uint64_t>(value)); }
    void sized(std::uint32_t field, std::span<const std::uint8_t> content) {
        begin_sized(field, content.size());
        out_.insert(out_.end(), content.begin(), content.end());
    }
    void text(std::uint32_t field, std::string_view content) {
        begin_sized(field, content.size());
        out_.insert(out_.end(), content.begin(), content.end());
    }
    /// So many bytes follow.
    void begin_sized(std::uint32_t field, std::size_t size) {
        tag(field, WireType::sized);
        put_varint(out_, size);
    }
    /// A message in this one: what `fill` writes.
    template <class Fill>
    void message(std::uint32_t field, Fill fill) {
        tag(field, WireType::sized);
        const std::size_t begin = out_.size();
        out_.push_back(0);  // its size, where that is less than 128
        fill(*this);
        std::uint64_t size = out_.size() - begin - 1;
        for (auto at = static_cast<std::ptrdiff_t>(begin);; ++at) {
            const bool more = size >= 0x80;
            out_[static_cast<std::size_t>(at)] = static_cast<std::uint8_t>((size & 0x7fU) | (more ? 0x80U : 0U));
            if (!more) return;
            size >>= 7U;
            out_.insert(out_.begin() + at + 1, 0);
        }
    }

private:
    Bytes& out_;
};

struct Field {
    std::uint32_t number = 0;
    WireType type = WireType::varint;
    std::uint64_t bits = 0;                      // of varint, fixed64, fixed32
    std::span<const std::uint8_t> content = {};  // of sized
};

/// The fields of a message in somebody's bytes, one after the other.
class Reader {
public:
    explicit Reader(std::span<const std::uint8_t> bytes) : rest_(bytes) {}

    /// Nothing at the end, and where what follows is no field.
    [[nodiscard]] std::optional<Field> next() {
        const std::optional<std::uint64_t> tag = varint();
        if (!tag || *tag >> 3U == 0 || *tag >> 3U > 0x1fffffffU) return std::nullopt;
        Field field{.number = static_cast<std::uint32_t>(*tag >> 3U), .type = static_cast<WireType>(*tag & 7U)};
        switch (field.type) {
            case WireType::varint:
                if (const auto value = varint()) {
                    field.bits = *value;
                    return field;
                }
                return std::nullopt;
            case WireType::fixed64:
                if (rest_.size() < 8) return std::nullopt;
                field.bits = bytes::take<std::uint64_t>(rest_.data());
                rest_ = rest_.subspan(8);
                return field;
            case WireType::fixed32:
                if (rest_.size() < 4) return std::nullopt;
                field.bits = bytes::take<std::uint32_t>(rest_.data());
                rest_ = rest_.subspan(4);
                return field;
            case WireType::sized:
                if (const auto size = varint(); size && *size <= rest_.size()) {
                    field.content = rest_.first(static_cast<std::size_t>(*size));
                    rest_ = rest_.subspan(static_cast<std::size_t>(*size));
                    return field;
                }
                return std::nullopt;
        }
        return std::nullopt;
    }

private:
    [[nodiscard]] std::optional<std::uint64_t> varint() {
        std::uint64_t value = 0;
        for (unsigned i = 0; i < 10 && i < rest_.size(); ++i) {
            value |= std::uint64_t{rest_[i] & 0x7fU} << (7 * i);
            if ((rest_[i] & 0x80U) != 0) continue;
            rest_ = rest_.subspan(i + 1);
            return value;
        }
        return std::nullopt;
    }

    std::span<const std::uint8_t> rest_;
};

}  // namespace interfaces::protobuf
