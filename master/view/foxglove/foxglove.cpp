#include "master/view/foxglove/foxglove.hpp"

#include "interfaces/bytes/bytes.hpp"
#include "master/base/json.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <numeric>
#include <openssl/evp.h>
#include <set>

namespace master::view {
namespace {

namespace messages = interfaces::foxglove;
using interfaces::bytes::put;
using interfaces::bytes::take;

enum class Opcode : std::uint8_t { message_data = 1, time = 2 };
constexpr std::uint32_t time_slot = 0, first_channel_slot = 1;

std::string base64(const std::string& bytes) {
    std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
    const int length =
        ::EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                          reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
    text.resize(static_cast<std::size_t>(length));
    return text;
}

double double_at(const Frame& frame, std::size_t at) {
    return std::bit_cast<double>(take<std::uint64_t>(frame.data() + at));
}
float float_at(const Frame& frame, std::size_t at) {
    return std::bit_cast<float>(take<std::uint32_t>(frame.data() + at));
}

double time_of(const Frame& frame) { return double_at(frame, 8); }
std::int64_t nanoseconds_of(const Frame& frame) { return std::llround(std::clamp(time_of(frame), 0.0, 9e9) * 1e9); }

/// The values of a state frame, as `put_row` asks for them: all are doubles there.
struct StateSource {
    const Frame& frame;

    [[nodiscard]] double real(std::size_t i) const {
        const std::size_t at = 48 + 8 * i;
        return at + 8 <= frame.size() ? double_at(frame, at) : std::nan("");
    }
    [[nodiscard]] bool boolean(std::size_t i) const { return real(i) > 0.5; }
    // No row of a view has them.
    [[nodiscard]] std::int64_t integer(std::size_t) const { return 0; }
    [[nodiscard]] std::uint64_t natural(std::size_t) const { return 0; }
    [[nodiscard]] std::string_view text(std::size_t) const { return {}; }
};

bool is_index(const nlohmann::json& value) {
    return value.is_number_unsigned() && value.get<std::uint64_t>() <= 0xffffffffU;
}

bool put_transforms(Frame& out, const MachineFrames& machine, const Frame& frame) {
    if (take<std::uint32_t>(frame.data() + 20) != machine.array) return false;
    std::vector<double> poses;
    for (std::size_t at = 28; at + 4 <= frame.size(); at += 4) poses.push_back(double{float_at(frame, at)});
    messages::put_transforms(out, nanoseconds_of(frame), "world", machine.names, poses);
    return true;
}

bool put_points(Frame& out, const std::string& sensor, const Frame& frame) {
    constexpr std::size_t head = 60;
    const std::size_t count = take<std::uint32_t>(frame.data() + 20);
    if (frame.size() < head + 7 * count) return false;
    const float scale = float_at(frame, 24);
    const auto coordinate = [&](std::size_t i) {
        return scale * static_cast<float>(static_cast<std::int16_t>(take<std::uint16_t>(frame.data() + head + 2 * i)));
    };
    std::vector<messages::Point> points(count);
    for (std::size_t i = 0; i < count; ++i)
        points[i] = {coordinate(3 * i), coordinate(3 * i + 1), coordinate(3 * i + 2), frame[head + 6 * count + i]};
    messages::put_points(out, nanoseconds_of(frame), sensor, points);
    return true;
}

}  // namespace

std::string Foxglove::server_info(std::string_view session) {
    return fmt::format(
        R"({{"op":"serverInfo","name":"Tandem {}","capabilities":["time"],"supportedEncodings":[],"metadata":{{}},)"
        R"("sessionId":{}}})",
        TANDEM_VERSION, base::json_quoted(session));
}

std::optional<std::string> Foxglove::advertise(std::string_view system_json) {
    channels_.clear();
    latest_.clear();
    auto advertised = nlohmann::json::array();
    const auto add = [&](const std::string& topic, const messages::Schema& schema, Channel channel) {
        channels_.push_back(std::move(channel));
        advertised.push_back({{"id", channels_.size()},
                              {"topic", topic},
                              {"encoding", "protobuf"},
                              {"schemaName", schema.name},
                              {"schema", base64(schema.data)},
                              {"schemaEncoding", "protobuf"}});
    };
    try {
        const auto document = nlohmann::json::parse(system_json);
        std::vector<messages::Signal> signals;
        for (const auto& signal : document.at("signals")) {
            const std::string type = signal.at("type");
            const bool flag = type == "boolean" || type == "clock";
            signals.push_back({signal.at("name"), flag ? messages::Kind::boolean : messages::Kind::real});
        }
        SceneFrames scene = scene_frames(document);
        for (MachineFrames& machine : scene.machines) {
            const std::string topic = machine.topic;
            add(topic, messages::transforms_schema(), {.kind = FrameKind::array, .machine = std::move(machine)});
        }
        if (scene.cloud)
            add(cloud_topic, messages::cloud_schema(), {.kind = FrameKind::cloud, .sensor = std::move(*scene.cloud)});
        for (messages::Row& row : messages::rows_of(signals)) {
            const std::string topic = row.topic;
            const messages::Schema schema = messages::schema_of(row);
            add(topic, schema, {.kind = FrameKind::state, .row = std::move(row)});
        }
    } catch (const nlohmann::json::exception&) {
        channels_.clear();
        return std::nullopt;
    }
    return nlohmann::json{{"op", "advertise"}, {"channels", std::move(advertised)}}.dump(
        -1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<std::string> Foxglove::unadvertise() const {
    if (channels_.empty()) return std::nullopt;
    std::vector<std::size_t> ids(channels_.size());
    std::iota(ids.begin(), ids.end(), 1);
    return fmt::format(R"({{"op":"unadvertise","channelIds":[{}]}})", fmt::join(ids, ","));
}

std::optional<std::vector<Foxglove::Message>> Foxglove::hear(std::string_view text) {
    const auto document = nlohmann::json::parse(text, nullptr, false);
    if (!document.is_object() || !document.contains("op") || !document["op"].is_string()) return std::nullopt;
    const std::string operation = document["op"];
    std::vector<Message> answer;
    if (operation == "subscribe") {
        if (!document.contains("subscriptions") || !subscribe(document["subscriptions"])) return std::nullopt;
        for (const auto& [slot, frame] : latest_) translate(frame, true, answer);
        for (Channel& channel : channels_) channel.fresh = false;
    } else if (operation == "unsubscribe") {
        if (!document.contains("subscriptionIds") || !unsubscribe(document["subscriptionIds"])) return std::nullopt;
    }
    return answer;  // what this server does not offer is not answered
}

bool Foxglove::subscribe(const nlohmann::json& wishes) {
    if (!wishes.is_array()) return false;
    for (const auto& wish : wishes) {
        if (!wish.is_object() || !wish.contains("id") || !wish.contains("channelId") || !is_index(wish["id"]) ||
            !is_index(wish["channelId"]))
            return false;
        // One for each channel, as the protocol says; what was unadvertised a moment ago is not there any more.
        const std::uint64_t channel = wish["channelId"];
        if (channel < 1 || channel > channels_.size()) continue;
        channels_[channel - 1].subscription = wish["id"];
        channels_[channel - 1].fresh = true;
    }
    return true;
}

bool Foxglove::unsubscribe(const nlohmann::json& ids) {
    if (!ids.is_array() || !std::ranges::all_of(ids, is_index)) return false;
    const std::set<std::uint32_t> gone(ids.begin(), ids.end());
    for (Channel& channel : channels_)
        if (channel.subscription && gone.contains(*channel.subscription)) channel.subscription.reset();
    return true;
}

std::vector<Foxglove::Message> Foxglove::show(std::uint32_t slot, Frame frame) {
    std::vector<Message> result;
    // Of two recordings only the first has names that are its own.
    if (frame.size() < frame_head_size || take<std::uint16_t>(frame.data() + 2) != 0) return result;
    translate(frame, false, result);
    latest_[slot] = std::move(frame);
    return result;
}

void Foxglove::translate(const Frame& frame, bool fresh_only, std::vector<Message>& into) const {
    const auto kind = static_cast<FrameKind>(frame[0]);
    const auto time = static_cast<std::uint64_t>(nanoseconds_of(frame));
    if (kind == FrameKind::state) {
        Message& message = into.emplace_back(time_slot, Frame(9));
        message.bytes[0] = static_cast<std::uint8_t>(Opcode::time);
        put(message.bytes.data() + 1, time);
    }
    for (std::uint32_t i = 0; i < channels_.size(); ++i) {
        const Channel& channel = channels_[i];
        if (!channel.subscription || channel.kind != kind || (fresh_only && !channel.fresh)) continue;
        Message message{first_channel_slot + i, Frame(13)};
        message.bytes[0] = static_cast<std::uint8_t>(Opcode::message_data);
        put(message.bytes.data() + 1, *channel.subscription);
        put(message.bytes.data() + 5, time);
        if (put_payload(message.bytes, channel, frame)) into.push_back(std::move(message));
    }
}

bool Foxglove::put_payload(Frame& out, const Channel& channel, const Frame& frame) {
    if (channel.kind == FrameKind::array) return put_transforms(out, channel.machine, frame);
    if (channel.kind == FrameKind::cloud) return put_points(out, channel.sensor, frame);
    messages::put_row(out, channel.row, time_of(frame), StateSource{frame});
    return true;
}

}  // namespace master::view
