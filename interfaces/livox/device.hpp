#pragma once

#include "interfaces/livox/commands.hpp"
#include "interfaces/livox/points.hpp"
#include "interfaces/udp/socket.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace interfaces::livox {

using udp::Address;

inline constexpr std::uint16_t discovery_port = 55000;  // of a host
inline constexpr std::uint16_t device_port = 65000;

/// One emulated Mid-70. Each device of a host has an address of its own; the default stays on this machine.
struct DeviceSettings {
    std::string code = "3GGDJ6K00200101";  // 14 characters of the serial number, and 1
    Address own{.ip = udp::loopback + 1, .port = device_port};
    Address advert_to{.ip = udp::loopback, .port = discovery_port};
    DeviceType type = DeviceType::mid_70;
    std::array<std::uint8_t, 4> firmware{3, 8, 0, 0};
    bool tagged = true;  // false: points without tags, as old firmware sends them
    std::int64_t advert_period = 1'000'000'000, status_period = 100'000'000;  // ns
    std::int64_t heartbeat_timeout = 3'000'000'000;                           // ns
};

/// A datagram that is to be sent.
struct Datagram {
    Address to;
    std::vector<std::uint8_t> bytes;
};

/// Where the points go now, and as what.
struct Stream {
    Address to;
    DataType type = DataType::cartesian_tag;
    ReturnMode mode = ReturnMode::first;
    std::uint8_t slot = 1;
    friend bool operator==(const Stream&, const Stream&) = default;
};

/// The control channel of one device: bytes and time in, datagrams out. Times are ns of any clock that does not go
/// back.
///
/// Without a session it advertises and answers nothing but a handshake, whose address must be that of its sender, so
/// that nobody sends the points to a third party. With one it does not advertise and listens to that host alone; a
/// handshake of the same host begins a new session, one of another is refused. A session ends by a disconnect, by a
/// reboot or when heartbeats stay away. What a client configured outlasts its session.
class Device {
public:
    using Outbox = std::vector<Datagram>;

    /// Throws std::invalid_argument for a broadcast code that clients would not take.
    explicit Device(const DeviceSettings& settings);

    void receive(std::span<const std::uint8_t> datagram, const Address& from, std::int64_t now, Outbox& out);
    /// Whatever is due: adverts, status messages, the end of a session.
    void tick(std::int64_t now, Outbox& out);
    /// When tick() has something to do next.
    [[nodiscard]] std::int64_t next_tick() const;

    [[nodiscard]] bool connected() const { return session_.has_value(); }
    [[nodiscard]] std::optional<Stream> stream() const;
    [[nodiscard]] const Extrinsics& extrinsics() const { return extrinsics_; }
    [[nodiscard]] const DeviceSettings& settings() const { return settings_; }

private:
    struct Session {
        Address commands, data;
        std::int64_t last_heartbeat = 0, next_status = 0;
        std::optional<std::int64_t> reboot_at;
        bool sampling = false;
    };
    using Data = std::span<const std::uint8_t>;
    using Answer = std::vector<std::uint8_t>;
    /// One command that a session understands: how long its request and its answer are, and who answers it. The answer
    /// is full of zeros when it comes there; false refuses.
    struct Rule {
        Command command;
        std::optional<std::size_t> request;  // none: any size, the handler looks
        std::size_t answer;
        bool (Device::*handle)(Data request, std::int64_t now, Answer& answer);
    };
    static const std::array<Rule, 23> rules;

    void shake_hands(const Frame& frame, const Address& from, std::int64_t now, Outbox& out);
    void answer_command(const Frame& frame, const Address& from, std::int64_t now, Outbox& out);
    void end_session(std::int64_t now);

    bool refuse(Data request, std::int64_t now, Answer& answer);
    bool device_info(Data request, std::int64_t now, Answer& answer);
    bool heartbeat(Data request, std::int64_t now, Answer& answer);
    bool sampling(Data request, std::int64_t now, Answer& answer);
    bool coordinates(Data request, std::int64_t now, Answer& answer);
    bool disconnect(Data request, std::int64_t now, Answer& answer);
    bool set_ip(Data request, std::int64_t now, Answer& answer);
    bool get_ip(Data request, std::int64_t now, Answer& answer);
    bool reboot(Data request, std::int64_t now, Answer& answer);
    bool set_parameter(Data request, std::int64_t now, Answer& answer);
    bool get_parameter(Data request, std::int64_t now, Answer& answer);
    bool reset_parameters(Data request, std::int64_t now, Answer& answer);
    bool mode(Data request, std::int64_t now, Answer& answer);
    bool set_extrinsics(Data request, std::int64_t now, Answer& answer);
    bool get_extrinsics(Data request, std::int64_t now, Answer& answer);
    bool set_return_mode(Data request, std::int64_t now, Answer& answer);
    bool get_return_mode(Data request, std::int64_t now, Answer& answer);
    [[nodiscard]] IpSettings ip_settings() const;

    DeviceSettings settings_;
    std::optional<Session> session_;
    std::int64_t next_advert_ = 0;
    std::uint16_t sequence_ = 0;  // of messages
    State state_ = State::normal;
    Coordinates coordinates_ = Coordinates::cartesian;
    ReturnMode return_mode_ = ReturnMode::first;
    Extrinsics extrinsics_;
    std::uint8_t slot_ = 1;
};

}  // namespace interfaces::livox
