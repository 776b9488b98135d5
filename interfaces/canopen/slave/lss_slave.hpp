#pragma once

#include "interfaces/canopen/types.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace interfaces::canopen {

inline constexpr std::uint32_t lss_request_id = 0x7E5, lss_answer_id = 0x7E4;
inline constexpr std::uint8_t unconfigured_node_id = 0xFF;

/// Vendor, product code, revision, serial number: 0x1018 and the address of LSS (CiA 305).
using Identity = std::array<std::uint32_t, 4>;
using LssBytes = std::array<std::uint8_t, 8>;

/// Node-id and bit rate of a device: in use, to be used after the next reset, and kept without power.
struct Commissioned {
    std::uint8_t node_id = unconfigured_node_id;
    std::uint32_t bit_rate = 250000;
    friend bool operator==(const Commissioned&, const Commissioned&) = default;
};

struct LssSlaveState {
    bool configuring = false;
    std::uint8_t selected = 0;       // numbers of a selective switch that fitted so far
    std::uint8_t identified = 0;     // the same of an identification
    std::uint8_t fastscan_next = 0;  // number that the scan looks at
    Commissioned active, pending, stored;
    std::uint32_t activate_bit_rate = 0;  // takes effect after the silence below
    Time silent_until{};                  // of the two delays around a switch of the bit rate
    Time switch_at{};
};

/// What a request leads to beside its answer.
struct LssOutcome {
    std::optional<LssBytes> answer;
    bool left_configuration = false;  // a node-id may now be taken into use
};

/// Bit rate of an entry of the standard table 0; none for one that is reserved.
[[nodiscard]] std::optional<std::uint32_t> lss_bit_rate(std::uint8_t entry);

[[nodiscard]] LssOutcome serve(LssSlaveState& state, const Identity& identity, const LssBytes& request, Time now);

}  // namespace interfaces::canopen
