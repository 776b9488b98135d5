#pragma once

#include "interfaces/can/frame.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// Datagrams of python-can's `udp_multicast`: one frame as a map of msgpack.
namespace interfaces::can {

/// The datagram, in `bytes`, which keeps its memory.
void write_datagram(const Frame& frame, std::vector<std::uint8_t>& bytes);

/// Keys in any order, numbers of any width; a key that python-can does not have is passed over.
[[nodiscard]] std::optional<Frame> read_datagram(std::span<const std::uint8_t> bytes);

}  // namespace interfaces::can
