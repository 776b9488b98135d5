#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace master::core {

/// How a value is kept between units. Narrower FMI types are widened: Float32 is real, Int8..Int32 and enumerations are
/// integer, UInt8..UInt32 are natural.
enum class Type : std::uint8_t { real, integer, natural, boolean, bytes, string, clock };
inline constexpr std::size_t type_count = 7;
[[nodiscard]] constexpr std::size_t index_of(Type type) { return static_cast<std::size_t>(type); }

/// A binary value where it lies: an output points into its unit's own buffer (valid until that unit is read again), an
/// input into the wire's copy (valid until the wire carries the next one).
struct Bytes {
    const std::uint8_t* data = nullptr;
    std::size_t size = 0;
};
/// A binary value of its own.
using ByteString = std::vector<std::uint8_t>;

/// One flat array per type.
template <typename Binary>
struct LanesWith {
    std::vector<double> reals;
    std::vector<std::int64_t> integers;
    std::vector<std::uint64_t> naturals;
    std::vector<std::uint8_t> booleans;  // 0 or 1
    std::vector<Binary> bytes;
    std::vector<std::string> strings;
    std::vector<std::uint8_t> clocks;  // 1 = ticks at this instant
};
using Lanes = LanesWith<Bytes>;
/// Values that stay as they are, whatever becomes of those they were taken from.
using KeptLanes = LanesWith<ByteString>;

/// Every value of one instant: what units are given and what they said.
struct Signals {
    Lanes inputs;
    Lanes outputs;
};

/// A unit's slice of `Lanes`: where its values of each type begin. The unit knows how many there are.
struct Block {
    double* reals = nullptr;
    std::int64_t* integers = nullptr;
    std::uint64_t* naturals = nullptr;
    std::uint8_t* booleans = nullptr;
    Bytes* bytes = nullptr;
    std::string* strings = nullptr;
    std::uint8_t* clocks = nullptr;
};

/// The same to read from. `slopes` stands beside `reals` (per second): inside the step an input is
/// `reals[i] + slopes[i] * (time - start of step)`; null when no wire of this unit has a slope.
struct ConstBlock {
    const double* reals = nullptr;
    const double* slopes = nullptr;
    const std::int64_t* integers = nullptr;
    const std::uint64_t* naturals = nullptr;
    const std::uint8_t* booleans = nullptr;
    const Bytes* bytes = nullptr;
    const std::string* strings = nullptr;
    const std::uint8_t* clocks = nullptr;
};

/// Calls `f` with what picks the lane of a type out of `Lanes` or a block: the one place that tells the types apart.
template <typename F>
[[gnu::always_inline]] inline decltype(auto) visit_lane(Type type, F&& f) {
    switch (type) {
        case Type::real:
            return f([](auto& lanes) -> auto& { return lanes.reals; });
        case Type::integer:
            return f([](auto& lanes) -> auto& { return lanes.integers; });
        case Type::natural:
            return f([](auto& lanes) -> auto& { return lanes.naturals; });
        case Type::boolean:
            return f([](auto& lanes) -> auto& { return lanes.booleans; });
        case Type::bytes:
            return f([](auto& lanes) -> auto& { return lanes.bytes; });
        case Type::string:
            return f([](auto& lanes) -> auto& { return lanes.strings; });
        case Type::clock:
            break;
    }
    return f([](auto& lanes) -> auto& { return lanes.clocks; });
}

/// Calls `f` with the lane itself.
template <typename AnyLanes, typename F>
[[gnu::always_inline]] inline decltype(auto) with_lane(Type type, AnyLanes& lanes, F&& f) {
    return visit_lane(type, [&](auto lane) -> decltype(auto) { return f(lane(lanes)); });
}

}  // namespace master::core
