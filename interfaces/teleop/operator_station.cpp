#include "interfaces/teleop/operator_station.hpp"

#include <algorithm>

namespace interfaces::teleop {

void OperatorStation::receive(const Packet& packet, std::int64_t now) {
    const Header& header = packet.header;
    if (const auto* echo = std::get_if<Echo>(&packet.content)) return take(header, *echo, now);
    if (packet.content.index() > 2) return;  // of another operator
    if (header.session != session_) {
        if (session_ != 0 && now - last_received_ < silence) {
            ++other_session_;
            return;
        }
        const auto others = other_session_;
        const Echoes echoes = echoes_;
        *this = OperatorStation(id_);
        other_session_ = others;
        echoes_ = echoes;
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

Packet OperatorStation::hello(std::int64_t now) {
    const std::uint32_t number = ++echoes_.last;
    echoes_.sent[number % echoes_.sent.size()] = {number, now};
    return {.header = {session_, number, now}, .content = Hello{.operator_id = id_}};
}

void OperatorStation::take(const Header& header, const Echo& echo, std::int64_t now) {
    Echoes::Sent& sent = echoes_.sent[header.sequence % echoes_.sent.size()];
    if (echo.operator_id != id_ || header.sequence == 0 || sent.number != header.sequence) return;
    sent.number = 0;  // the same echo once more tells nothing
    echoes_.round_trip = now - sent.at;
    echoes_.received = now;
}

std::optional<std::int64_t> OperatorStation::round_trip(std::int64_t now) const {
    constexpr std::int64_t forgotten = 3'000'000'000;
    if (echoes_.received == 0 || now - echoes_.received > forgotten) return std::nullopt;
    return echoes_.round_trip;
}

OperatorStation::Statistics OperatorStation::statistics() const {
    const std::uint64_t sent = received_ == 0 ? 0 : std::uint64_t{highest_} - first_ + 1;
    return {.received = received_,
            .old = old_,
            .lost = sent > received_ ? sent - received_ : 0,
            .other_session = other_session_};
}

}  // namespace interfaces::teleop
