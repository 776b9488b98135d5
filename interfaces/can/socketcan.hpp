#pragma once

#include "interfaces/can/transport.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

/// Network interfaces of the Linux kernel.
namespace interfaces::can {

/// A frame as the kernel's raw sockets carry it: 16 bytes, or 72 for FD.
struct KernelFrame {
    std::array<std::uint8_t, 72> bytes{};
    std::size_t size = 0;
};

[[nodiscard]] KernelFrame kernel_frame(const Frame& frame);
[[nodiscard]] std::optional<Frame> frame_of_kernel(std::span<const std::uint8_t> bytes);

/// The state that an error frame reports, where it reports one.
[[nodiscard]] std::optional<BusState> reported_state(const Frame& error);

/// What an error frame says, in words.
[[nodiscard]] std::string description_of_error(const Frame& error);

[[nodiscard]] std::unique_ptr<Transport> open_socketcan(const std::string& interface, const TransportOptions& options);

}  // namespace interfaces::can
