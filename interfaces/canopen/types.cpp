#include "interfaces/canopen/types.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace interfaces::canopen {
namespace {

std::uint64_t ones(int count) { return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1; }

}  // namespace

std::optional<Type> type_of(std::uint64_t code) {
    const bool known =
        (code >= 0x01 && code <= 0x0D) || (code >= 0x0F && code <= 0x16) || (code >= 0x18 && code <= 0x1B);
    if (!known) return std::nullopt;
    return static_cast<Type>(code);
}

std::uint8_t bits(Type type) {
    switch (type) {
        case Type::boolean:
            return 1;
        case Type::integer8:
        case Type::unsigned8:
            return 8;
        case Type::integer16:
        case Type::unsigned16:
            return 16;
        case Type::integer24:
        case Type::unsigned24:
            return 24;
        case Type::integer32:
        case Type::unsigned32:
        case Type::real32:
            return 32;
        case Type::integer40:
        case Type::unsigned40:
            return 40;
        case Type::integer48:
        case Type::unsigned48:
        case Type::time_of_day:
        case Type::time_difference:
            return 48;
        case Type::integer56:
        case Type::unsigned56:
            return 56;
        case Type::integer64:
        case Type::unsigned64:
        case Type::real64:
            return 64;
        case Type::visible_string:
        case Type::octet_string:
        case Type::unicode_string:
        case Type::domain:
            break;
    }
    return 0;
}

bool is_signed(Type type) {
    return (type >= Type::integer8 && type <= Type::integer32) || type == Type::integer24 ||
           (type >= Type::integer40 && type <= Type::integer64);
}

std::uint64_t load(std::span<const std::uint8_t> from) {
    std::uint64_t raw = 0;
    for (std::size_t i = 0; i < std::min<std::size_t>(from.size(), 8); ++i) raw |= std::uint64_t{from[i]} << (8 * i);
    return raw;
}

void store(std::span<std::uint8_t> to, std::uint64_t raw) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = i < 8 ? static_cast<std::uint8_t>(raw >> (8 * i)) : 0;
}

std::int64_t signed_number(Type type, std::uint64_t raw) {
    const int unused = 64 - bits(type);
    return static_cast<std::int64_t>(raw << unused) >> unused;
}

double value_of(Type type, std::uint64_t raw) {
    if (type == Type::real32) return std::bit_cast<float>(static_cast<std::uint32_t>(raw));
    if (type == Type::real64) return std::bit_cast<double>(raw);
    if (is_signed(type)) return static_cast<double>(signed_number(type, raw));
    return static_cast<double>(raw);
}

std::uint64_t raw_of(Type type, double value) {
    if (type == Type::real32) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    if (type == Type::real64) return std::bit_cast<std::uint64_t>(value);
    if (!is_number(type) || std::isnan(value)) return 0;
    const double rounded = std::round(value);
    const int width = bits(type);
    if (is_signed(type)) {
        // The largest value has no double of its own above 53 bits: compare with the power of two behind it.
        const double end = std::ldexp(1.0, width - 1);
        if (rounded >= end) return ones(width - 1);
        if (rounded < -end) return std::uint64_t{1} << (width - 1);
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(rounded)) & ones(width);
    }
    if (rounded >= std::ldexp(1.0, width)) return ones(width);
    return rounded > 0 ? static_cast<std::uint64_t>(rounded) : 0;
}

bool below(Type type, std::uint64_t a, std::uint64_t b) {
    if (is_real(type)) return value_of(type, a) < value_of(type, b);
    if (is_signed(type)) return signed_number(type, a) < signed_number(type, b);
    return a < b;
}

can::Frame make_frame(std::uint32_t id, std::span<const std::uint8_t> data) {
    can::Frame frame{.id = id};
    frame.size = static_cast<std::uint8_t>(std::min(data.size(), can::classic_size));
    std::copy_n(data.begin(), frame.size, frame.data.begin());
    return frame;
}

}  // namespace interfaces::canopen
