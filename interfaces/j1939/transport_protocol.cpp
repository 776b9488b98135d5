#include "interfaces/j1939/transport_protocol.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace interfaces::j1939 {

namespace {

// Control bytes of a connection.
constexpr std::uint8_t request_to_send = 16, clear = 17, end_of_message_acknowledge = 19, announce_to_all = 32,
                       connection_abort = 255;

// Seconds (SAE J1939-21, 5.13.3): between packets of an announced message, for the next packet, for an answer, after a
// clear to send that asks to wait.
constexpr double announced_gap = 0.05, next_packet = 0.75, after_clear = 1.25, answer = 1.25, hold = 1.05;

constexpr std::size_t most_connections = 64, most_waiting = 1024;

std::uint32_t packets_of(std::size_t bytes) { return static_cast<std::uint32_t>((bytes + 6) / 7); }

std::uint32_t group_of(const can::Frame& frame) {
    return frame.data[5] | static_cast<std::uint32_t>(frame.data[6]) << 8 |
           static_cast<std::uint32_t>(frame.data[7]) << 16;
}

}  // namespace

bool TransportProtocol::send(double t, Message message) {
    message.identifier.source = address_;
    if (!is_addressed(message.identifier.group)) message.identifier.destination = everyone;
    const std::uint8_t destination = message.identifier.destination;
    if (message.data.size() > most_bytes || frames_.size() >= most_waiting) return false;
    if (message.data.size() <= can::classic_size) {
        frames_.push_back(frame_of(message.identifier, message.data));
        return true;
    }
    const auto same = [&](const Outgoing& other) { return other.message.identifier.destination == destination; };
    if (std::any_of(outgoing_.begin(), outgoing_.end(), same) || outgoing_.size() == most_connections) return false;
    const auto size = static_cast<std::uint32_t>(message.data.size());
    const auto low = static_cast<std::uint8_t>(size), high = static_cast<std::uint8_t>(size >> 8);
    const auto packets = static_cast<std::uint8_t>(packets_of(size));
    const std::uint8_t control = destination == everyone ? announce_to_all : request_to_send;
    put_connection(destination, {control, low, high, packets, 0xFF}, message.identifier.group);
    outgoing_.push_back({.message = std::move(message), .due = t + (destination == everyone ? announced_gap : answer)});
    return true;
}

void TransportProtocol::take(double t, const can::Frame& frame) {
    if (!frame.extended || frame.remote || frame.error || frame.fd) return;
    const Identifier from = identifier_of(frame.id);
    if (from.destination != everyone && from.destination != address_) return;
    const bool connection = from.group == connection_group, data = from.group == data_group;
    if ((connection || data) && frame.size != can::classic_size) return;
    if (connection) return take_connection(t, from, frame);
    if (data) return take_data(t, from, frame);
    if (messages_.size() == most_waiting) messages_.pop_front();
    messages_.push_back({from, {frame.bytes().begin(), frame.bytes().end()}});
}

void TransportProtocol::take_connection(double t, const Identifier& from, const can::Frame& frame) {
    switch (frame.data[0]) {
        case announce_to_all:
        case request_to_send:
            return announce(t, from, frame);
        case clear:
            return clear_to_send(t, from, frame);
        case end_of_message_acknowledge:
            return end_of_message(from, frame);
        case connection_abort:
            return drop(from, frame);
        default:
            return;
    }
}

void TransportProtocol::announce(double t, const Identifier& from, const can::Frame& frame) {
    const bool to_all = frame.data[0] == announce_to_all;
    if (to_all != (from.destination == everyone)) return;
    const std::uint32_t size = frame.data[1] | static_cast<std::uint32_t>(frame.data[2]) << 8, group = group_of(frame);
    if (size <= can::classic_size || size > most_bytes || frame.data[3] != packets_of(size)) {
        if (!to_all) abort(from.source, group, Reason::too_long);
        return;
    }
    // A new announcement from the same source replaces what was not finished.
    if (const auto old = find_incoming(from.source, from.destination); old != incoming_.end()) {
        ++aborted_;
        incoming_.erase(old);
    }
    if (incoming_.size() == most_connections) {
        if (!to_all) abort(from.source, group, Reason::resources);
        return;
    }
    Incoming incoming{.size = size, .due = t + next_packet};
    incoming.message.identifier = {.group = group & 0x3FFFFu, .source = from.source, .destination = from.destination};
    incoming.granted = packets_of(size);
    incoming.at_once = frame.data[4] == 0 ? 1u : frame.data[4];
    incoming_.push_back(std::move(incoming));
    if (!to_all) grant(t, incoming_.back());
}

void TransportProtocol::grant(double t, Incoming& incoming) {
    constexpr std::uint32_t most_at_once = 16;
    const std::uint32_t left = packets_of(incoming.size) - incoming.received;
    const std::uint32_t count = std::min({left, incoming.at_once, most_at_once});
    incoming.granted = incoming.received + count;
    incoming.due = t + after_clear;
    put_connection(
        incoming.message.identifier.source,
        {clear, static_cast<std::uint8_t>(count), static_cast<std::uint8_t>(incoming.received + 1), 0xFF, 0xFF},
        incoming.message.identifier.group);
}

void TransportProtocol::take_data(double t, const Identifier& from, const can::Frame& frame) {
    const auto incoming = find_incoming(from.source, from.destination);
    if (incoming == incoming_.end()) return;
    const bool to_all = from.destination == everyone;
    if (frame.data[0] != static_cast<std::uint8_t>(incoming->received + 1) || incoming->received == incoming->granted) {
        ++aborted_;
        if (!to_all) abort(from.source, incoming->message.identifier.group, Reason::bad_sequence);
        incoming_.erase(incoming);
        return;
    }
    std::vector<std::uint8_t>& data = incoming->message.data;
    const std::size_t count = std::min<std::size_t>(7, incoming->size - data.size());
    data.insert(data.end(), frame.data.begin() + 1, frame.data.begin() + 1 + static_cast<std::ptrdiff_t>(count));
    ++incoming->received;
    incoming->due = t + next_packet;
    if (data.size() == incoming->size) return finish(incoming);
    if (!to_all && incoming->received == incoming->granted) grant(t, *incoming);
}

void TransportProtocol::finish(std::vector<Incoming>::iterator incoming) {
    const Identifier& from = incoming->message.identifier;
    if (from.destination != everyone)
        put_connection(
            from.source,
            {end_of_message_acknowledge, static_cast<std::uint8_t>(incoming->size),
             static_cast<std::uint8_t>(incoming->size >> 8), static_cast<std::uint8_t>(incoming->received), 0xFF},
            from.group);
    if (messages_.size() == most_waiting) messages_.pop_front();
    messages_.push_back(std::move(incoming->message));
    incoming_.erase(incoming);
}

void TransportProtocol::clear_to_send(double t, const Identifier& from, const can::Frame& frame) {
    for (Outgoing& outgoing : outgoing_) {
        const Identifier& to = outgoing.message.identifier;
        if (to.destination != from.source || to.destination == everyone || to.group != group_of(frame)) continue;
        const std::uint32_t count = frame.data[1], next = frame.data[2], all = packets_of(outgoing.message.data.size());
        outgoing.due = t + (count == 0 ? hold : answer);  // none: wait, another clear to send will come
        if (count == 0 || next == 0 || next + count - 1 > all || frames_.size() + count > most_waiting) return;
        outgoing.sent = next - 1;
        outgoing.allowed = next - 1 + count;
        while (outgoing.sent < outgoing.allowed) put_packet(outgoing);
        return;
    }
}

void TransportProtocol::end_of_message(const Identifier& from, const can::Frame& frame) {
    std::erase_if(outgoing_, [&](const Outgoing& outgoing) {
        return outgoing.message.identifier.destination == from.source &&
               outgoing.message.identifier.group == group_of(frame);
    });
}

void TransportProtocol::drop(const Identifier& from, const can::Frame& frame) {
    const auto before = outgoing_.size() + incoming_.size();
    std::erase_if(outgoing_, [&](const Outgoing& outgoing) {
        return outgoing.message.identifier.destination == from.source &&
               outgoing.message.identifier.group == group_of(frame);
    });
    std::erase_if(incoming_, [&](const Incoming& incoming) {
        const Identifier& identifier = incoming.message.identifier;
        return identifier.source == from.source && identifier.destination == from.destination &&
               identifier.group == group_of(frame);
    });
    aborted_ += before - outgoing_.size() - incoming_.size();
}

void TransportProtocol::put_packet(Outgoing& outgoing) {
    std::array<std::uint8_t, 8> bytes;
    bytes.fill(0xFF);
    const std::size_t at = std::size_t{7} * outgoing.sent;
    const std::size_t count = std::min<std::size_t>(7, outgoing.message.data.size() - at);
    bytes[0] = static_cast<std::uint8_t>(++outgoing.sent);
    std::copy_n(outgoing.message.data.begin() + static_cast<std::ptrdiff_t>(at), count, bytes.begin() + 1);
    frames_.push_back(frame_of({.priority = 7,
                                .group = data_group,
                                .source = address_,
                                .destination = outgoing.message.identifier.destination},
                               bytes));
}

void TransportProtocol::put_connection(std::uint8_t destination, std::array<std::uint8_t, 5> head,
                                       std::uint32_t group) {
    const std::array<std::uint8_t, 8> bytes{head[0],
                                            head[1],
                                            head[2],
                                            head[3],
                                            head[4],
                                            static_cast<std::uint8_t>(group),
                                            static_cast<std::uint8_t>(group >> 8),
                                            static_cast<std::uint8_t>(group >> 16)};
    if (frames_.size() == most_waiting) frames_.pop_front();
    frames_.push_back(
        frame_of({.priority = 7, .group = connection_group, .source = address_, .destination = destination}, bytes));
}

void TransportProtocol::abort(std::uint8_t destination, std::uint32_t group, Reason reason) {
    put_connection(destination, {connection_abort, static_cast<std::uint8_t>(reason), 0xFF, 0xFF, 0xFF}, group);
}

void TransportProtocol::advance(double t) {
    for (Outgoing& outgoing : outgoing_) {
        const Identifier& to = outgoing.message.identifier;
        if (outgoing.due > t) continue;
        if (to.destination == everyone) {
            put_packet(outgoing);
            outgoing.due += announced_gap;
            continue;
        }
        ++aborted_;
        abort(to.destination, to.group, Reason::timeout);
        outgoing.sent = packets_of(outgoing.message.data.size());
        outgoing.allowed = 0;
        outgoing.message.data.clear();  // given up
    }
    std::erase_if(outgoing_, [](const Outgoing& outgoing) {
        const bool to_all = outgoing.message.identifier.destination == everyone;
        return outgoing.message.data.empty() || (to_all && outgoing.sent == packets_of(outgoing.message.data.size()));
    });
    std::erase_if(incoming_, [&](const Incoming& incoming) {
        if (incoming.due > t) return false;
        ++aborted_;
        const Identifier& from = incoming.message.identifier;
        if (from.destination != everyone) abort(from.source, from.group, Reason::timeout);
        return true;
    });
}

std::optional<double> TransportProtocol::next_time() const {
    std::optional<double> next;
    for (const Outgoing& outgoing : outgoing_) next = std::min(next.value_or(outgoing.due), outgoing.due);
    for (const Incoming& incoming : incoming_) next = std::min(next.value_or(incoming.due), incoming.due);
    return next;
}

std::optional<can::Frame> TransportProtocol::next_frame() {
    if (frames_.empty()) return std::nullopt;
    const can::Frame frame = frames_.front();
    frames_.pop_front();
    return frame;
}

std::optional<Message> TransportProtocol::next_message() {
    if (messages_.empty()) return std::nullopt;
    Message message = std::move(messages_.front());
    messages_.pop_front();
    return message;
}

std::vector<TransportProtocol::Incoming>::iterator TransportProtocol::find_incoming(std::uint8_t source,
                                                                                    std::uint8_t destination) {
    return std::find_if(incoming_.begin(), incoming_.end(), [&](const Incoming& incoming) {
        return incoming.message.identifier.source == source && incoming.message.identifier.destination == destination;
    });
}

}  // namespace interfaces::j1939
