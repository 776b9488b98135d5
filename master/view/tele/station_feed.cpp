#include "master/view/tele/station_feed.hpp"

#include "master/base/error.hpp"
#include "master/base/json.hpp"
#include "master/view/clock.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace master::view {
namespace {

namespace teleop = interfaces::teleop;
namespace udp = interfaces::udp;

constexpr double told_every = 0.25;  // s, about the link

/// Bytes of numbers: what a packet is sent for.
std::uint64_t content_of(const teleop::Packet& packet) {
    if (std::holds_alternative<teleop::Pose>(packet.content)) return 2 * teleop::pose_size;
    return std::holds_alternative<teleop::Edge>(packet.content) ? 2 * teleop::edge_size : 0;
}

}  // namespace

StationFeed::StationFeed(StationScene scene, const StationLink& link)
    : scene_(std::move(scene)), told_(steady_seconds()) {
    const bool near = udp::is_loopback(link.machine.ip);
    try {
        endpoint_.emplace(link.machine, link.key, udp::Address{near ? udp::loopback : 0, 0});
    } catch (const std::runtime_error& error) {
        throw base::Error("outside", "--from", error.what());
    }
}

const std::string* StationFeed::file(std::string_view name) {
    const auto& files = scene_.catalogue.files;
    const auto found = std::ranges::find(files, name, &std::pair<std::string, std::string>::first);
    return found == files.end() ? nullptr : &found->second;
}

FrameHead StationFeed::head() const { return {.sequence = sequence_, .time = time_}; }

void StationFeed::join(Client& client) {
    clients_.push_back(&client);
    tell(client, fmt::format(R"({{"type":"hello","client":{},"run":1,"mode":"tele"}})", client.id()));
    control_.tell();
}

void StationFeed::leave(Client& client) {
    std::erase(clients_, &client);
    control_.leave(client.id());
}

void StationFeed::hear(Client& client, const ClientMessage& message) {
    using Do = ClientMessage::Do;
    if (const auto heard = control_.hear(client.id(), message); heard != SharedControl::Heard::other) {
        if (heard == SharedControl::Heard::refused)
            tell(client, fmt::format(R"({{"type":"refused","do":"control","text":"{}"}})", SharedControl::refusal));
        return;
    }
    switch (message.what) {
        case Do::levers:
            return move(client, message);
        case Do::budget:
            return;
        default:
            return tell(client, R"({"type":"refused","text":"a station has no run to steer, only levers"})");
    }
}

void StationFeed::move(Client& client, const ClientMessage& message) {
    if (!control_.has(client.id()) || message.levers.size() != scene_.axes.size())
        return tell(client, R"({"type":"refused","do":"levers","text":"this page does not hold control"})");
    std::array<double, teleop::axis_count> levers{};
    for (std::size_t i = 0; i < scene_.axes.size(); ++i) levers[scene_.axes[i]] = message.levers[i];
    (void)endpoint_->send(levers, message.alive);  // what is not taken is as if it were lost on the way
}

void StationFeed::stop_axes() { (void)endpoint_->release(); }

void StationFeed::awake() {
    endpoint_->poll(0, [this](const teleop::Packet& packet, std::span<const std::uint8_t> datagram) {
        rate_.arrived(steady_seconds(), packet.content.index(),
                      {.bytes = datagram.size(), .content = content_of(packet)});
        show(packet, datagram);
    });
}

/// The newest of its kind goes to all pages; what was overtaken on its way to none.
void StationFeed::show(const teleop::Packet& packet, std::span<const std::uint8_t> datagram) {
    const auto& station = endpoint_->station();
    const auto is = [&](const auto& newest) { return newest && newest->sequence == packet.header.sequence; };
    const std::size_t kind = packet.content.index();
    const bool newest = kind == 0 ? is(station.pose()) : kind == 1 ? is(station.edge()) : false;
    if (!newest) return;
    ++sequence_;
    time_ = 1e-9 * static_cast<double>(packet.header.time);
    for (Client* client : clients_) client->show(static_cast<std::uint32_t>(kind), packet_frame(head(), datagram));
}

void StationFeed::tick(double now) {
    awake();  // says hello when it is time
    if (now - told_ >= told_every) tell_link(now);
}

void StationFeed::tell_link(double now) {
    const LinkRate::Rates rates = rate_.rates(now);
    const auto& station = endpoint_->station();
    base::Json json{
        {"type", "tele"}, {"rate", rates.bits}, {"content", rates.content}, {"lost", station.statistics().lost}};
    if (const auto round_trip = endpoint_->round_trip()) json["age"] = 0.5e-9 * static_cast<double>(*round_trip);
    if (const auto& status = station.status()) {
        json["control"] = station.in_control() ? "here" : status->content.holder == 0 ? "nobody" : "elsewhere";
        json["moves"] = station.in_control() && status->content.may_move;
        json["neutral"] = base::Json::array();
        for (std::size_t i = 0; i < scene_.axes.size(); ++i)
            if ((status->content.waiting >> scene_.axes[i] & 1U) != 0) json["neutral"].push_back(i);
    }
    told_ = now;
    tell_all(json.dump());
}

void StationFeed::tell_all(std::string_view json) const {
    for (Client* client : clients_) tell(*client, json);
}

void StationFeed::tell(Client& client, std::string_view json) const { client.tell(json_frame(head(), json)); }

}  // namespace master::view
