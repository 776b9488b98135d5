#pragma once

#include "interfaces/can/frame.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// SAE J1939: what a 29-bit identifier says, messages of more than eight bytes, addresses, trouble codes.
namespace interfaces::j1939 {

inline constexpr std::uint8_t everyone = 255, nobody = 254;
inline constexpr std::size_t most_bytes = 1785;  // of a message: 255 packets of seven

/// Parameter groups of the protocol itself.
inline constexpr std::uint32_t request_group = 0xEA00, data_group = 0xEB00, connection_group = 0xEC00,
                               claim_group = 0xEE00, dm1_group = 0xFECA;

/// Below 240 the format carries a destination (PDU1), else it goes to everyone (PDU2).
struct Identifier {
    std::uint8_t priority = 6;
    std::uint32_t group = 0;  // 18 bits; its low byte is 0 in PDU1
    std::uint8_t source = nobody, destination = everyone;

    friend bool operator==(const Identifier&, const Identifier&) = default;
};

/// The parameter group carries a destination.
[[nodiscard]] bool is_addressed(std::uint32_t group);

[[nodiscard]] Identifier identifier_of(std::uint32_t id);
[[nodiscard]] std::uint32_t id_of(const Identifier& identifier);

/// A frame of up to eight bytes.
[[nodiscard]] can::Frame frame_of(const Identifier& identifier, std::span<const std::uint8_t> bytes);

struct Message {
    Identifier identifier;
    std::vector<std::uint8_t> data;  // at most `most_bytes`

    friend bool operator==(const Message&, const Message&) = default;
};

}  // namespace interfaces::j1939
