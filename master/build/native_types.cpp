#include "master/build/native_types.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace master::build {
namespace {

using Family = NativeType::Family;

struct Named {
    std::string_view name;
    NativeType type;
};

constexpr std::array<Named, 17> known_types{{
    {"Real", {Family::real, 64}},
    {"Float64", {Family::real, 64}},
    {"Float32", {Family::real, 32}},
    {"Integer", {Family::integer, 32}},
    {"Int8", {Family::integer, 8}},
    {"Int16", {Family::integer, 16}},
    {"Int32", {Family::integer, 32}},
    {"Int64", {Family::integer, 64}},
    {"UInt8", {Family::natural, 8}},
    {"UInt16", {Family::natural, 16}},
    {"UInt32", {Family::natural, 32}},
    {"UInt64", {Family::natural, 64}},
    {"Boolean", {Family::boolean, 1}},
    {"Enumeration", {Family::enumeration, 64}},
    {"String", {Family::string, 0}},
    {"Binary", {Family::binary, 0}},
    {"Clock", {Family::clock, 1}},
}};

bool whole(Family family) { return family == Family::integer || family == Family::natural; }

/// Bits of the mantissa: whole numbers up to 2^mantissa are exact.
int mantissa(const NativeType& real) { return real.bits == 64 ? 53 : 24; }

}  // namespace

std::optional<NativeType> native_type(std::string_view declared) {
    const auto found = std::ranges::find(known_types, declared, &Named::name);
    if (found == known_types.end()) return std::nullopt;
    return found->type;
}

bool widens(const NativeType& from, const NativeType& to) {
    if (from.family == Family::enumeration) return to.family == Family::enumeration || whole(to.family);
    if (to.family == Family::enumeration) return whole(from.family);
    if (from.family == to.family) return from.bits <= to.bits;
    if (from.family == Family::natural && to.family == Family::integer) return from.bits < to.bits;
    if (whole(from.family) && to.family == Family::real) return from.bits <= mantissa(to);
    return false;
}

bool holds(const NativeType& type, std::int64_t value) {
    if (type.family == Family::real) {
        const std::int64_t limit = std::int64_t{1} << mantissa(type);
        return value >= -limit && value <= limit;
    }
    if (type.family == Family::natural) return value >= 0 && holds(type, static_cast<std::uint64_t>(value));
    if (type.family == Family::boolean) return value == 0 || value == 1;
    if (type.bits == 64) return true;
    const std::int64_t limit = std::int64_t{1} << (type.bits - 1);
    return value >= -limit && value < limit;
}

bool holds(const NativeType& real, double value) {
    constexpr double largest = std::numeric_limits<float>::max();
    return real.bits == 64 || !std::isfinite(value) || std::abs(value) <= largest;
}

bool holds(const NativeType& type, std::uint64_t value) {
    constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (type.family == Family::natural) return type.bits == 64 || value < (std::uint64_t{1} << type.bits);
    return value <= largest && holds(type, static_cast<std::int64_t>(value));
}

}  // namespace master::build
