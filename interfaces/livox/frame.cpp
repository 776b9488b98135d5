#include "interfaces/livox/frame.hpp"

#include "interfaces/bytes/bytes.hpp"

#include <algorithm>
#include <cassert>

namespace interfaces::livox {

namespace {

using bytes::put;
using bytes::take;

constexpr std::uint8_t start_of_frame = 0xAA, version = 1;
constexpr std::size_t header_checked = 7;  // bytes before the CRC-16

template <class Bits>
Bits reflected_crc(std::span<const std::uint8_t> bytes, Bits polynomial, Bits value) {
    for (const std::uint8_t byte : bytes) {
        value = static_cast<Bits>(value ^ byte);
        for (int bit = 0; bit < 8; ++bit)
            value = static_cast<Bits>((value & 1U) != 0 ? (value >> 1U) ^ polynomial : value >> 1U);
    }
    return value;
}

/// The frame at the front; none if there is none, or not all of it.
std::optional<Frame> frame_at_front(std::span<const std::uint8_t> bytes) {
    if (bytes.size() < frame_overhead || bytes[0] != start_of_frame) return std::nullopt;
    const std::size_t length = take<std::uint16_t>(&bytes[2]);
    if (length < frame_overhead || length > largest_frame || length > bytes.size()) return std::nullopt;
    if (crc16(bytes.first(header_checked)) != take<std::uint16_t>(&bytes[header_checked])) return std::nullopt;
    if (crc32(bytes.first(length - 4)) != take<std::uint32_t>(&bytes[length - 4])) return std::nullopt;
    if (bytes[4] > static_cast<std::uint8_t>(FrameType::message)) return std::nullopt;
    return Frame{.type = static_cast<FrameType>(bytes[4]),
                 .sequence = take<std::uint16_t>(&bytes[5]),
                 .set = bytes[9],
                 .id = bytes[10],
                 .data = bytes.subspan(frame_data_at, length - frame_overhead)};
}

}  // namespace

std::uint16_t crc16(std::span<const std::uint8_t> bytes) { return reflected_crc<std::uint16_t>(bytes, 0x8408, 0x4C49); }

std::uint32_t crc32(std::span<const std::uint8_t> bytes) {
    constexpr std::uint32_t seed = 0x564F580A;
    return ~reflected_crc<std::uint32_t>(bytes, 0xEDB88320, ~seed);
}

std::vector<std::uint8_t> encode(const Frame& frame) {
    assert(frame.data.size() <= largest_frame - frame_overhead);
    const std::size_t length = frame.data.size() + frame_overhead;
    std::vector<std::uint8_t> bytes(length);
    bytes[0] = start_of_frame;
    bytes[1] = version;
    put(&bytes[2], static_cast<std::uint16_t>(length));
    bytes[4] = static_cast<std::uint8_t>(frame.type);
    put(&bytes[5], frame.sequence);
    put(&bytes[header_checked], crc16(std::span(bytes).first(header_checked)));
    bytes[9] = frame.set;
    bytes[10] = frame.id;
    std::copy(frame.data.begin(), frame.data.end(), bytes.begin() + frame_data_at);
    put(&bytes[length - 4], crc32(std::span(bytes).first(length - 4)));
    return bytes;
}

std::optional<Frame> next_frame(std::span<const std::uint8_t>& bytes) {
    for (; bytes.size() >= frame_overhead; bytes = bytes.subspan(1)) {
        if (const auto frame = frame_at_front(bytes)) {
            bytes = bytes.subspan(frame->data.size() + frame_overhead);
            return frame;
        }
    }
    bytes = {};
    return std::nullopt;
}

}  // namespace interfaces::livox
