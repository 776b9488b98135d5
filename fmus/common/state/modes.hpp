#pragma once

#include <cstdint>

namespace fmus {

enum class Interface : std::uint8_t { co_simulation, model_exchange };

/// The states of the FMI state machines, FMI 2 and FMI 3 in one.
enum class Mode : std::uint16_t {
    instantiated = 1,
    configuration = 2,
    initialization = 4,
    event = 8,
    step = 16,
    continuous_time = 32,
    intermediate_update = 64,
    terminated = 128
};
/// A set of modes.
struct Modes {
    constexpr Modes(Mode mode) : bits(static_cast<unsigned>(mode)) {}
    constexpr explicit Modes(unsigned all) : bits(all) {}
    [[nodiscard]] constexpr bool contain(Mode mode) const { return (bits & static_cast<unsigned>(mode)) != 0; }
    unsigned bits;
};
constexpr Modes operator|(Modes a, Modes b) { return Modes(a.bits | b.bits); }
constexpr Modes operator|(Mode a, Mode b) { return Modes(a) | Modes(b); }
inline constexpr Modes any_mode{0xffU};

/// Numbered as fmi2Status and fmi3Status are.
enum class Status : std::uint8_t { ok, warning, discard, error, fatal };

}  // namespace fmus
