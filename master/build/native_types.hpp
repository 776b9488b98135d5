#pragma once

#include "master/core/unit.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace master::build {

/// A type as files spell it, by what it can hold. FMI 2's Real is Float64 and its Integer Int32.
struct NativeType {
    enum class Family : std::uint8_t { real, integer, natural, boolean, enumeration, string, binary, clock };
    Family family = Family::real;
    int bits = 64;

    friend bool operator==(const NativeType&, const NativeType&) = default;
};

/// Nothing for a name that is no type.
[[nodiscard]] std::optional<NativeType> native_type(std::string_view declared);

/// True where every value of `from` is a value of `to`, or one is an enumeration and the other an integer.
[[nodiscard]] bool widens(const NativeType& from, const NativeType& to);

/// True where a whole number fits the type.
[[nodiscard]] bool holds(const NativeType& type, std::int64_t value);
[[nodiscard]] bool holds(const NativeType& type, std::uint64_t value);
/// True where a number lies within the range of a type of reals, however it is rounded there.
[[nodiscard]] bool holds(const NativeType& real, double value);

}  // namespace master::build
