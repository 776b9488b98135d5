#pragma once

#include "interfaces/livox/device.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace interfaces::livox {

struct HostSettings {
    std::string code;        // of the device that is wanted; empty: the first one that makes itself known
    Address commands, data;  // where the device is to send to
    ReturnMode mode = ReturnMode::first;
};

/// The host's side of one device: bytes and time in, datagrams out. It waits for an advert, shakes hands, asks who that
/// is, waits until the device is ready, configures it and starts it; heartbeats keep the session. What is not answered
/// is asked again; a device that says nothing for three seconds is searched for anew. Times are ns of any clock that
/// does not go back.
class Host {
public:
    using Outbox = std::vector<Datagram>;

    explicit Host(const HostSettings& settings) : settings_(settings) {}

    /// What came to the discovery port.
    void discover(std::span<const std::uint8_t> datagram, const Address& from, std::int64_t now, Outbox& out);
    /// What came to the command port.
    void receive(std::span<const std::uint8_t> datagram, const Address& from, std::int64_t now, Outbox& out);
    /// Whatever is due.
    void tick(std::int64_t now, Outbox& out);
    /// When tick() has something to do next; none while nobody is there.
    [[nodiscard]] std::optional<std::int64_t> next_tick() const;

    [[nodiscard]] bool connected() const { return stage_ > Stage::handshake; }
    [[nodiscard]] bool sampling() const { return stage_ == Stage::running; }
    /// Whose points are meant; none while nobody is connected.
    [[nodiscard]] std::optional<std::uint32_t> device() const;
    [[nodiscard]] const std::string& code() const { return code_; }

private:
    /// What is asked next, in this order.
    enum class Stage : std::uint8_t { searching, handshake, device_info, ready, coordinates, mode, sampling, running };

    static Stage following(Stage stage);
    void go_to(Stage stage, std::int64_t now, Outbox& out);
    void ask(std::int64_t now, Outbox& out);
    void send(Command command, std::span<const std::uint8_t> data, Outbox& out);
    void take(const Frame& answer, std::int64_t now, Outbox& out);

    HostSettings settings_;
    Stage stage_ = Stage::searching;
    Address device_;
    std::string code_;
    std::uint16_t sequence_ = 0, asked_ = 0;  // the latter: of the question that is open
    std::int64_t ask_again_ = 0, next_heartbeat_ = 0, last_answer_ = 0;
};

}  // namespace interfaces::livox
