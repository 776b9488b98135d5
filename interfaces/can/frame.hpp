#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

/// Controller area network: one frame as every codec, transport and unit of the tree passes it on.
namespace interfaces::can {

inline constexpr std::size_t classic_size = 8, fd_size = 64;

/// A classic or FD frame. `size` counts bytes, it is not the data length code; a remote frame has a size and no data.
struct Frame {
    std::uint32_t id = 0;  // 11 bits, or 29 where extended
    bool extended = false;
    bool remote = false;  // classic only
    bool error = false;   // an error frame of the controller: id and data as SocketCAN has them
    bool fd = false;
    bool bit_rate_switch = false, error_state = false;  // FD only
    std::uint8_t size = 0;
    std::array<std::uint8_t, fd_size> data{};

    [[nodiscard]] std::span<const std::uint8_t> bytes() const { return std::span(data).first(remote ? 0 : size); }
    friend bool operator==(const Frame&, const Frame&) = default;
};

}  // namespace interfaces::can
