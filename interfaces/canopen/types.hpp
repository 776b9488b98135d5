#pragma once

#include "interfaces/can/frame.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// CANopen (CiA 301 and what stands on it): codecs and nodes that are given frames and time, and give back frames.
namespace interfaces::canopen {

/// Since an origin of the caller's choice; simulated or real, it only has to grow.
using Time = std::chrono::nanoseconds;
/// Where nodes put what they send; the caller hands it to a bus and empties it.
using Frames = std::vector<can::Frame>;

/// Data types by their codes of CiA 301, which are also those of an EDS.
enum class Type : std::uint16_t {
    boolean = 0x01,
    integer8 = 0x02,
    integer16 = 0x03,
    integer32 = 0x04,
    unsigned8 = 0x05,
    unsigned16 = 0x06,
    unsigned32 = 0x07,
    real32 = 0x08,
    visible_string = 0x09,
    octet_string = 0x0A,
    unicode_string = 0x0B,
    time_of_day = 0x0C,
    time_difference = 0x0D,
    domain = 0x0F,
    integer24 = 0x10,
    real64 = 0x11,
    integer40 = 0x12,
    integer48 = 0x13,
    integer56 = 0x14,
    integer64 = 0x15,
    unsigned24 = 0x16,
    unsigned40 = 0x18,
    unsigned48 = 0x19,
    unsigned56 = 0x1A,
    unsigned64 = 0x1B,
};

/// Whether a code from outside is one of the above.
[[nodiscard]] std::optional<Type> type_of(std::uint64_t code);
/// Bits on the wire in a PDO; 0 for strings and domains.
[[nodiscard]] std::uint8_t bits(Type type);
/// Bytes in an SDO; 0 for strings and domains.
[[nodiscard]] inline std::size_t bytes(Type type) { return (bits(type) + 7u) / 8u; }
[[nodiscard]] inline bool is_number(Type type) { return bits(type) != 0; }
[[nodiscard]] bool is_signed(Type type);
[[nodiscard]] inline bool is_real(Type type) { return type == Type::real32 || type == Type::real64; }

/// Numbers travel little-endian; a raw number is their bits in the low end, all others zero.
[[nodiscard]] std::uint64_t load(std::span<const std::uint8_t> from);
void store(std::span<std::uint8_t> to, std::uint64_t raw);

/// Of a signed type, with its sign extended.
[[nodiscard]] std::int64_t signed_number(Type type, std::uint64_t raw);
[[nodiscard]] double value_of(Type type, std::uint64_t raw);
/// The nearest value of the type: rounded, and held at its ends. What is not a number becomes 0.
[[nodiscard]] std::uint64_t raw_of(Type type, double value);
/// Whether a is below b, as numbers of the type.
[[nodiscard]] bool below(Type type, std::uint64_t a, std::uint64_t b);

/// physical = raw * gain + offset, in SI units.
struct Scale {
    double gain = 1, offset = 0;
    friend bool operator==(const Scale&, const Scale&) = default;
};

/// A classic frame with an 11-bit identifier, the only kind that CANopen needs here.
[[nodiscard]] can::Frame make_frame(std::uint32_t id, std::span<const std::uint8_t> data);

}  // namespace interfaces::canopen
