#pragma once

#include "interfaces/teleop/stream.hpp"

#include <array>
#include <cstdint>

namespace interfaces::teleop {

struct GateSettings {
    std::int64_t dead_man = 200'000'000;      // ns without a command until every axis stops
    std::int64_t stale_view = 1'500'000'000;  // ns that an operator's picture of the machine may be old
    double neutral = 0.05;                    // a lever below that is neutral
};

/// What became of the commands.
struct GateStatistics {
    std::uint64_t accepted = 0;
    std::uint64_t other_session = 0;  // of another run of the machine: replayed, or from before a restart
    std::uint64_t other_operator = 0;
    std::uint64_t old = 0;     // overtaken by later ones, or replayed
    std::uint64_t forged = 0;  // claims to have seen what was not sent yet
    std::uint64_t stale = 0;   // accepted, but the operator's picture was too old to move by
    std::uint64_t timeouts = 0;
};

/// Decides on the machine's side what operators may move. One operator holds control until he gives it back or his
/// commands stay away; whoever comes first then takes it. After that, after the dead-man was let go and after a stale
/// view, each axis moves only once its lever was neutral. Times are ns of the machine's clock.
class ControlGate {
public:
    explicit ControlGate(std::uint32_t session, const GateSettings& settings = {})
        : session_(session), settings_(settings) {}

    void receive(const Header& header, const Command& command, std::int64_t now);
    /// The axes' commands, -1 to 1, as of now.
    [[nodiscard]] const std::array<double, axis_count>& axes(std::int64_t now);

    [[nodiscard]] Status status() const;
    [[nodiscard]] const GateStatistics& statistics() const { return statistics_; }
    [[nodiscard]] std::uint32_t session() const { return session_; }

private:
    [[nodiscard]] bool is_fresh(const Header& header, const Command& command) const;
    void expire(std::int64_t now);
    void stop();

    std::uint32_t session_;
    GateSettings settings_;
    GateStatistics statistics_;
    std::uint32_t holder_ = 0;
    std::uint32_t last_operator_ = 0, last_sequence_ = 0;  // of the last accepted command, also of former holders
    std::int64_t last_seen_ = -1, last_command_ = 0;
    bool may_move_ = false;
    std::array<bool, axis_count> was_neutral_{};
    std::array<double, axis_count> axes_{};
};

}  // namespace interfaces::teleop
