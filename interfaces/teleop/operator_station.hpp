#pragma once

#include "interfaces/teleop/stream.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace interfaces::teleop {

/// The last packet of a kind that a station has seen. Not inside of the station: clang cannot put a nested class with
/// initial values into an optional of the class around it.
template <class Content>
struct Newest {
    std::uint32_t sequence = 0;
    std::int64_t time = 0;      // the machine's
    std::int64_t received = 0;  // ours
    Content content{};
};

/// The operator's end of the stream: keeps the newest of everything, whatever the link does to the packets, and makes
/// commands. Times are ns of the operator's clock unless they are said to be the machine's.
class OperatorStation {
public:
    /// A stream of another session is taken when the one before was silent for so long: the machine was restarted.
    static constexpr std::int64_t silence = 1'000'000'000;

    /// The id tells operators apart; random_id() makes one.
    explicit OperatorStation(std::uint32_t id) : id_(id) {}

    void receive(const Packet& packet, std::int64_t now);

    [[nodiscard]] const std::optional<Newest<Pose>>& pose() const { return pose_; }
    [[nodiscard]] const std::optional<Newest<Edge>>& edge() const { return edge_; }
    [[nodiscard]] const std::optional<Newest<Status>>& status() const { return status_; }
    [[nodiscard]] bool in_control() const { return status_ && status_->content.holder == id_; }

    /// None before anything was seen of a machine.
    [[nodiscard]] std::optional<Packet> command(const std::array<double, axis_count>& levers, bool held,
                                                std::int64_t now);
    /// Gives control back.
    [[nodiscard]] std::optional<Packet> release(std::int64_t now);
    /// Numbered, so that its echo tells the round trip.
    [[nodiscard]] Packet hello(std::int64_t now);
    /// ns from a hello to its echo, of the last one that was echoed; none before, and none while echoes stay away.
    [[nodiscard]] std::optional<std::int64_t> round_trip(std::int64_t now) const;

    struct Statistics {
        std::uint64_t received = 0;
        std::uint64_t old = 0;   // overtaken by later ones of their kind, or repeated
        std::uint64_t lost = 0;  // not come so far
        std::uint64_t other_session = 0;
    };
    [[nodiscard]] Statistics statistics() const;

private:
    template <class Content>
    void keep(std::optional<Newest<Content>>& newest, const Header& header, const Content& content, std::int64_t now);

    std::uint32_t id_, session_ = 0, sequence_ = 0;
    std::optional<Newest<Pose>> pose_;
    std::optional<Newest<Edge>> edge_;
    std::optional<Newest<Status>> status_;
    std::int64_t seen_ = 0, last_received_ = 0;
    std::uint32_t first_ = 0, highest_ = 0;  // sequences of the session
    std::uint64_t received_ = 0, old_ = 0, other_session_ = 0;

    /// Hellos that were not echoed yet, by their numbers, and what the last echo told.
    struct Echoes {
        struct Sent {
            std::uint32_t number = 0;
            std::int64_t at = 0;
        };
        std::array<Sent, 8> sent{};
        std::uint32_t last = 0;
        std::int64_t round_trip = 0, received = 0;
    } echoes_;
    void take(const Header& header, const Echo& echo, std::int64_t now);
};

}  // namespace interfaces::teleop
