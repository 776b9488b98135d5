#pragma once

#include "interfaces/livox/host.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace interfaces::livox {

struct HostEndpointSettings {
    std::string code;                  // of the device that is wanted; empty: the first one
    std::uint32_t ip = udp::loopback;  // of this computer
    ReturnMode mode = ReturnMode::first;
};

/// How it stands with the device, and what came.
struct HostReport {
    bool connected = false, sampling = false;
    std::uint64_t packets = 0;    // of points
    std::uint64_t lost = 0;       // found the queue full
    std::uint64_t malformed = 0;  // no packets of points
    std::uint64_t failed = 0;     // questions that the operating system did not take
    friend bool operator==(const HostReport&, const HostReport&) = default;
};

/// Receives the points of one LiDAR on the network, real or emulated: one thread that owns three sockets.
class HostEndpoint {
public:
    static constexpr std::size_t queue_packets = 2048;  // two seconds of a Mid-70, one with both returns

    /// Throws std::runtime_error that names the address where a socket cannot be had. A host whose address is one of
    /// the loopback interface hears only what is sent to that; others hear broadcasts, too.
    explicit HostEndpoint(const HostEndpointSettings& settings);
    ~HostEndpoint();
    HostEndpoint(const HostEndpoint&) = delete;
    HostEndpoint& operator=(const HostEndpoint&) = delete;

    /// The next packet of points (for PacketView), in the order in which they came; its bytes stand until the next
    /// call. Nothing if there is none; never waits.
    [[nodiscard]] std::span<const std::uint8_t> next();
    [[nodiscard]] HostReport report() const;

private:
    class Network;
    std::unique_ptr<Network> network_;
};

}  // namespace interfaces::livox
