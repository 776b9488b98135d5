#pragma once

#include <cstdint>
#include <netinet/in.h>
#include <optional>
#include <span>

namespace interfaces::can {

/// One message from a socket with what the kernel says about it.
struct KernelMessage {
    int error = 0;  // errno; EAGAIN: nothing is there
    std::size_t size = 0;
    std::int64_t nanoseconds = 0;
    std::optional<std::uint32_t> lost;  // so far, for want of room
    bool own = false;                   // of a CAN socket: this very socket sent it
    sockaddr_in from{};                 // of an Internet socket
};

/// Never blocks. A socket with SO_TIMESTAMPNS and SO_RXQ_OVFL tells times and losses.
[[nodiscard]] KernelMessage receive_message(int socket, std::span<std::uint8_t> buffer);

/// Nanoseconds since 1970.
[[nodiscard]] std::int64_t time_of_day();

}  // namespace interfaces::can
