#pragma once

#include "interfaces/teleop/control_gate.hpp"
#include "interfaces/teleop/link.hpp"
#include "interfaces/teleop/operator_station.hpp"
#include "interfaces/teleop/stream.hpp"
#include "interfaces/udp/socket.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

namespace interfaces::teleop {

inline constexpr std::uint16_t default_port = 47000;

struct MachineSettings {
    udp::Address own{.ip = udp::loopback, .port = default_port};
    std::optional<Key> key;  // needed for any address that others can reach
    LinkSettings link;       // both ways; the way up has the seed + 1
    GateSettings gate;
};

/// What became of datagrams since the endpoint was made.
struct MachineStatistics {
    std::uint64_t packets = 0, bytes = 0;  // sent, payload of UDP, counted once however many operators receive them
    std::uint64_t dropped = 0;             // telemetry that found the queue full
    std::uint64_t refused = 0;             // datagrams that are none of ours, or wrongly signed
    std::uint64_t failed = 0;              // not taken by the operating system
    int last_failure = 0;                  // errno of the last of those
    std::uint64_t crowded = 0;             // commands that found the queue full
    std::size_t operators = 0;
};

/// The machine's end: a thread owns the socket, the simulation meets it at queues of fixed size. Whoever says hello
/// gets the stream, at most four; who may move an axis is the gate's business.
class MachineEndpoint {
public:
    static constexpr std::size_t most_operators = 4;

    /// Throws std::runtime_error where the address cannot be had, or others could reach it and there is no key.
    explicit MachineEndpoint(const MachineSettings& settings);
    ~MachineEndpoint();
    MachineEndpoint(const MachineEndpoint&) = delete;
    MachineEndpoint& operator=(const MachineEndpoint&) = delete;

    /// Hands over what is due at this time of the simulation, in ns: a pose every 20 ms, an edge every 100 ms.
    void publish(std::int64_t time, const Pose& pose, const Edge& edge);
    /// What the operator in control wants, as far as it is allowed now.
    [[nodiscard]] const std::array<double, axis_count>& axes(std::int64_t time);

    [[nodiscard]] Status status() const;
    [[nodiscard]] const GateStatistics& gate_statistics() const;
    [[nodiscard]] MachineStatistics statistics() const;
    [[nodiscard]] udp::Address address() const;

private:
    class Network;
    std::unique_ptr<Network> network_;
    ControlGate gate_;
    std::int64_t last_pose_ = -1, last_edge_ = -1, last_status_ = -1;  // numbers of their periods
};

/// The operator's end, without a thread: whoever has it polls it.
class OperatorEndpoint {
public:
    OperatorEndpoint(const udp::Address& machine, std::optional<Key> key, const udp::Address& own = {udp::loopback, 0});

    /// Takes what has come and says hello when it is time; waits up to so long for something to come. `taken` sees
    /// every packet of the machine after the station, as it came.
    using Taken = std::function<void(const Packet& packet, std::span<const std::uint8_t> datagram)>;
    void poll(int milliseconds, const Taken& taken = {});
    /// False before anything was seen of the machine, or if the operating system did not take it.
    bool send(const std::array<double, axis_count>& levers, bool held);
    bool release();
    [[nodiscard]] const OperatorStation& station() const { return station_; }
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
    /// ns, as the station measures it by hellos and their echoes.
    [[nodiscard]] std::optional<std::int64_t> round_trip() const;
    /// Readable when something has come.
    [[nodiscard]] int descriptor() const { return socket_.descriptor(); }

private:
    bool send(const std::optional<Packet>& packet);

    udp::Socket socket_;
    udp::Address machine_;
    std::optional<Key> key_;
    OperatorStation station_;
    std::int64_t next_hello_ = 0;
    std::uint64_t bytes_ = 0;  // received
};

}  // namespace interfaces::teleop
