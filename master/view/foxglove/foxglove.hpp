#pragma once

#include "interfaces/foxglove/rows.hpp"
#include "master/view/foxglove/frame_names.hpp"
#include "master/view/frames.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace master::view {

/// The Foxglove WebSocket protocol for one client: translates the frames that a page would get. Channels are those of
/// a recording (--format mcap): one topic per component, /tf with the links of machines, /points with the cloud.
/// Clients only listen.
class Foxglove {
public:
    static constexpr std::size_t most_bytes = 1 << 18;  // of a client's message

    struct Message {
        std::uint32_t slot = 0;  // newer ones replace older ones
        Frame bytes;
    };

    /// The first message; `session` tells one start of the server from another.
    [[nodiscard]] static std::string server_info(std::string_view session);
    /// What there is, from system.json; nothing where that is none. Subscriptions to an older one are gone.
    [[nodiscard]] std::optional<std::string> advertise(std::string_view system_json);
    /// Nothing where nothing was advertised.
    [[nodiscard]] std::optional<std::string> unadvertise() const;
    /// What a client said; the answer: the latest of what it subscribed to just now. Nothing for what is no message of
    /// the protocol.
    [[nodiscard]] std::optional<std::vector<Message>> hear(std::string_view text);
    /// A frame of a page in this slot, for those who subscribed to it.
    [[nodiscard]] std::vector<Message> show(std::uint32_t slot, Frame frame);

private:
    struct Channel {
        FrameKind kind = FrameKind::state;
        interfaces::foxglove::Row row = {};  // state
        MachineFrames machine = {};          // array
        std::string sensor = {};             // cloud
        std::optional<std::uint32_t> subscription = {};
        bool fresh = false;  // subscribed to just now
    };

    [[nodiscard]] bool subscribe(const nlohmann::json& wishes);
    [[nodiscard]] bool unsubscribe(const nlohmann::json& ids);
    void translate(const Frame& frame, bool fresh_only, std::vector<Message>& into) const;
    /// False: the channel has nothing to say about this frame.
    [[nodiscard]] static bool put_payload(Frame& out, const Channel& channel, const Frame& frame);

    std::vector<Channel> channels_;          // id: index + 1
    std::map<std::uint32_t, Frame> latest_;  // by their slots
};

}  // namespace master::view
