#include "interfaces/teleop/control_gate.hpp"

#include <algorithm>
#include <cmath>

namespace interfaces::teleop {

void ControlGate::receive(const Header& header, const Command& command, std::int64_t now) {
    expire(now);
    if (header.session != session_) {
        ++statistics_.other_session;
        return;
    }
    if (holder_ != 0 && command.operator_id != holder_) {
        ++statistics_.other_operator;
        return;
    }
    if (!is_fresh(header, command)) {
        ++statistics_.old;
        return;
    }
    // Times on the wire are whole microseconds, rounded down.
    if (command.seen > now) {
        ++statistics_.forged;
        return;
    }
    ++statistics_.accepted;
    last_operator_ = command.operator_id;
    last_sequence_ = header.sequence;
    last_seen_ = command.seen;
    last_command_ = now;
    holder_ = command.released ? 0 : command.operator_id;
    const bool stale = now - command.seen > settings_.stale_view;
    if (stale) ++statistics_.stale;
    if (holder_ == 0 || stale || !command.held) {
        stop();
        return;
    }
    may_move_ = true;
    for (std::size_t i = 0; i < axis_count; ++i) {
        const double lever = std::clamp(command.levers[i], -1.0, 1.0);
        const bool neutral = std::abs(lever) <= settings_.neutral;
        was_neutral_[i] = was_neutral_[i] || neutral;
        axes_[i] = was_neutral_[i] && !neutral ? lever : 0;
    }
}

/// Commands of one operator follow one another. Those of another must have seen more of the machine than any before, so
/// that nothing recorded earlier is taken.
bool ControlGate::is_fresh(const Header& header, const Command& command) const {
    if (command.operator_id == last_operator_) return header.sequence > last_sequence_ && command.seen >= last_seen_;
    return command.seen > last_seen_;
}

const std::array<double, axis_count>& ControlGate::axes(std::int64_t now) {
    expire(now);
    return axes_;
}

void ControlGate::expire(std::int64_t now) {
    if (holder_ == 0 || now - last_command_ <= settings_.dead_man) return;
    ++statistics_.timeouts;
    holder_ = 0;
    stop();
}

void ControlGate::stop() {
    may_move_ = false;
    was_neutral_.fill(false);
    axes_.fill(0);
}

Status ControlGate::status() const {
    Status status{.holder = holder_, .may_move = may_move_};
    for (std::size_t i = 0; i < axis_count; ++i) {
        if (!was_neutral_[i]) status.waiting = static_cast<std::uint16_t>(status.waiting | 1U << i);
    }
    return status;
}

}  // namespace interfaces::teleop
