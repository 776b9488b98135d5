#pragma once

#include "master/core/signals.hpp"

#include <cstdint>
#include <limits>
#include <type_traits>

namespace master::core {

/// Where a signal lies in `Signals`: small enough that a row is gathered from a dense array of these.
struct SignalRef {
    Type type = Type::real;
    bool input = false;       // in Signals::inputs, else in Signals::outputs
    std::uint32_t index = 0;  // in the lane of its type

    [[nodiscard]] const Lanes& lanes(const Signals& signals) const { return input ? signals.inputs : signals.outputs; }
    /// The signal that lies so many places further on: an element of an array.
    [[nodiscard]] SignalRef element(std::uint32_t offset) const { return {type, input, index + offset}; }
};

/// True for every type but bytes and string.
[[nodiscard]] constexpr bool is_number(Type type) { return type != Type::bytes && type != Type::string; }

/// A value of any type as a double: 0 or 1 for a boolean and a clock, NaN for what is no number.
[[nodiscard]] inline double number(const SignalRef& ref, const Signals& signals) {
    const Lanes& lanes = ref.lanes(signals);
    // Nearly all that is recorded or looked at: a compare instead of a jump table.
    if (ref.type == Type::real) return lanes.reals[ref.index];
    return with_lane(ref.type, lanes, [&]<class Element>(const std::vector<Element>& lane) {
        if constexpr (std::is_arithmetic_v<Element>) {
            return static_cast<double>(lane[ref.index]);
        } else {
            return std::numeric_limits<double>::quiet_NaN();
        }
    });
}

}  // namespace master::core
