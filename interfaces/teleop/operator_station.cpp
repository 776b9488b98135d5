#include "interfaces/teleop/operator_station.hpp"

#include <algorithm>

namespace interfaces::teleop {

void OperatorStation::receive(const Packet& packet, std::int64_t now) {
    const Header& header = packet.header;
    if (packet.content.index() > 2) return;  // of another operator
    if (header.session != session_) {
        if (session_ != 0 && now - last_received_ < silence) {
            ++other_session_;
            return;
        }
        const auto others = other_session_;
        *this = OperatorStation(id_);
        other_session_ = others;
        session_ = header.session;
        first_ = highest_ = header.sequence;
    }
    last_received_ = now;
    ++received_;
    first_ = std::min(first_, header.sequence);
    highest_ = std::max(highest_, header.sequence);
    seen_ = std::max(seen_, header.time);
    if (const auto* pose = std::get_if<Pose>(&packet.content)) keep(pose_, header, *pose, now);
    if (const auto* edge = std::get_if<Edge>(&packet.content)) keep(edge_, header, *edge, now);
    if (const auto* status = std::get_if<Status>(&packet.content)) keep(status_, header, *status, now);
}

template <class Content>
void OperatorStation::keep(std::optional<Newest<Content>>& newest, const Header& header, const Content& content,
                           std::int64_t now) {
    if (newest && header.sequence <= newest->sequence) {
        ++old_;
        return;
    }
    newest = Newest<Content>{header.sequence, header.time, now, content};
}

std::optional<Packet> OperatorStation::command(const std::array<double, axis_count>& levers, bool held,
                                               std::int64_t now) {
    if (session_ == 0) return std::nullopt;
    return Packet{.header = {session_, ++sequence_, now},
                  .content = Command{.operator_id = id_, .held = held, .seen = seen_, .levers = levers}};
}

std::optional<Packet> OperatorStation::release(std::int64_t now) {
    if (session_ == 0) return std::nullopt;
    return Packet{.header = {session_, ++sequence_, now},
                  .content = Command{.operator_id = id_, .released = true, .seen = seen_}};
}

Packet OperatorStation::hello(std::int64_t now) const {
    return {.header = {session_, 0, now}, .content = Hello{.operator_id = id_}};
}

OperatorStation::Statistics OperatorStation::statistics() const {
    const std::uint64_t sent = received_ == 0 ? 0 : std::uint64_t{highest_} - first_ + 1;
    return {.received = received_,
            .old = old_,
            .lost = sent > received_ ? sent - received_ : 0,
            .other_session = other_session_};
}

}  // namespace interfaces::teleop
