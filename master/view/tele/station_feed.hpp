#pragma once

#include "interfaces/teleop/endpoint.hpp"
#include "master/view/control.hpp"
#include "master/view/feed.hpp"
#include "master/view/tele/link_rate.hpp"
#include "master/view/tele/station.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace master::view {

struct StationLink {
    interfaces::udp::Address machine;
    std::optional<interfaces::teleop::Key> key;
};

/// The operator's end of teleoperation for pages: what the machine sends goes to them as it came, and what the page in
/// control says of its levers goes to the machine, one command for each time that it says so. So the dead-man of the
/// machine is that of the page: where either this process or the page is gone or stuck, commands stay away.
class StationFeed final : public Feed {
public:
    /// Throws `Error` where there is no socket to be had.
    StationFeed(StationScene scene, const StationLink& link);

    [[nodiscard]] std::optional<std::string> system_json() override { return scene_.catalogue.json; }
    [[nodiscard]] const std::string* file(std::string_view name) override;
    void join(Client& client) override;
    void leave(Client& client) override;
    void hear(Client& client, const ClientMessage& message) override;
    [[nodiscard]] int descriptor() const override { return endpoint_->descriptor(); }
    void awake() override;
    void tick(double now) override;

private:
    [[nodiscard]] FrameHead head() const;
    void show(const interfaces::teleop::Packet& packet, std::span<const std::uint8_t> datagram);
    void move(Client& client, const ClientMessage& message);
    void stop_axes();
    void tell(Client& client, std::string_view json) const;
    void tell_all(std::string_view json) const;
    void tell_link(double now);

    StationScene scene_;
    std::optional<interfaces::teleop::OperatorEndpoint> endpoint_;
    std::vector<Client*> clients_;
    SharedControl control_{
        {.rest = [this] { stop_axes(); }, .tell = [this](const std::string& json) { tell_all(json); }}};
    std::uint32_t sequence_ = 0;
    double time_ = 0;  // s, the machine's, of the newest packet
    LinkRate rate_;
    double told_ = 0;  // s, when the last word about the link was
};

}  // namespace master::view
