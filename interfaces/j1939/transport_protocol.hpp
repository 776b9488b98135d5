#pragma once

#include "interfaces/j1939/identifier.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace interfaces::j1939 {

/// Messages of up to 1785 bytes over frames of eight (SAE J1939-21): to everyone announced by BAM, to one address by
/// request and clear to send. Driven by frames and time; sends nothing itself.
class TransportProtocol {
public:
    explicit TransportProtocol(std::uint8_t address) : address_(address) {}

    void set_address(std::uint8_t address) { address_ = address; }
    /// Begins to send; the source is the own address. False where it is too long, or another one is under way to the
    /// same destination.
    [[nodiscard]] bool send(double t, Message message);
    /// A frame from the bus. Those of others' connections are passed over.
    void take(double t, const can::Frame& frame);
    /// Packets that are due, connections that have waited too long.
    void advance(double t);
    /// When `advance` has something to do; none where nothing is under way.
    [[nodiscard]] std::optional<double> next_time() const;

    /// The next frame to put on the bus.
    [[nodiscard]] std::optional<can::Frame> next_frame();
    /// The next message that has come in completely, also those that fit into one frame.
    [[nodiscard]] std::optional<Message> next_message();

    /// Connections that ended before their message was complete.
    [[nodiscard]] std::uint64_t aborted() const { return aborted_; }

private:
    struct Outgoing {
        Message message;
        std::uint32_t sent = 0, allowed = 0;  // packets; allowed by the last clear to send
        double due = 0;
    };
    struct Incoming {
        Message message;
        std::uint32_t size = 0, received = 0;      // bytes; packets
        std::uint32_t granted = 0, at_once = 255;  // packets: up to which may come, and most per clear to send
        double due = 0;                            // given up then
    };
    /// Reasons in an abort.
    enum class Reason : std::uint8_t { busy = 1, resources = 2, timeout = 3, bad_sequence = 7, too_long = 9 };

    void take_connection(double t, const Identifier& from, const can::Frame& frame);
    void take_data(double t, const Identifier& from, const can::Frame& frame);
    void announce(double t, const Identifier& from, const can::Frame& frame);
    void clear_to_send(double t, const Identifier& from, const can::Frame& frame);
    void end_of_message(const Identifier& from, const can::Frame& frame);
    void drop(const Identifier& from, const can::Frame& frame);
    void grant(double t, Incoming& incoming);
    void put_packet(Outgoing& outgoing);
    void put_connection(std::uint8_t destination, std::array<std::uint8_t, 5> head, std::uint32_t group);
    void abort(std::uint8_t destination, std::uint32_t group, Reason reason);
    void finish(std::vector<Incoming>::iterator incoming);
    [[nodiscard]] std::vector<Incoming>::iterator find_incoming(std::uint8_t source, std::uint8_t destination);

    std::uint8_t address_;
    std::vector<Outgoing> outgoing_;
    std::vector<Incoming> incoming_;
    std::deque<can::Frame> frames_;
    std::deque<Message> messages_;
    std::uint64_t aborted_ = 0;
};

}  // namespace interfaces::j1939
