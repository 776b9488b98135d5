#pragma once

#include "interfaces/livox/device.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace interfaces::livox {

/// What became of the points of one device since it was made.
struct Statistics {
    std::uint64_t packets = 0, points = 0;  // sent
    std::uint64_t late = 0;                 // packets that left later than Schedule::late_after
    std::uint64_t dropped = 0;              // points that found the queue full
    std::uint64_t failed = 0;               // packets that the operating system did not take
    std::uint64_t sessions = 0;
    bool connected = false, sampling = false;
    int last_failure = 0;  // errno of the last failed packet or answer, 0 if none
};

/// Emulated LiDARs on the network: one thread that owns one UDP socket per device. A dead client, a full socket buffer
/// or an interface that went away never stop the simulation: they are counted.
class Endpoint {
public:
    /// Half a second of a Mid-70.
    static constexpr std::size_t queue_points = 50'000;
    /// After a hold-up a device sends at most this many packets per millisecond, which no client's buffer minds.
    static constexpr std::size_t packets_per_millisecond = 4;

    /// Throws std::runtime_error that names the device and its address where a socket cannot be had.
    explicit Endpoint(const std::vector<DeviceSettings>& devices);
    ~Endpoint();
    Endpoint(const Endpoint&) = delete;
    Endpoint& operator=(const Endpoint&) = delete;

    /// Hands over points in the order of their times; never waits. One thread at a time per device. Points that nobody
    /// asked for are gone.
    void push(std::size_t device, std::span<const Point> points);
    [[nodiscard]] Statistics statistics(std::size_t device) const;
    [[nodiscard]] std::size_t size() const;

private:
    class Sender;
    class Network;
    std::unique_ptr<Network> network_;
};

}  // namespace interfaces::livox
