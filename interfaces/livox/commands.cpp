#include "interfaces/livox/commands.hpp"

#include "interfaces/bytes/bytes.hpp"

#include <algorithm>
#include <bit>

namespace interfaces::livox {

namespace {

using bytes::put;
using bytes::take;

// Addresses alone stand in network byte order.
std::uint32_t take_ip(const std::uint8_t* at) {
    return std::uint32_t{at[0]} << 24U | std::uint32_t{at[1]} << 16U | std::uint32_t{at[2]} << 8U | at[3];
}
void put_ip(std::uint8_t* at, std::uint32_t ip) {
    for (unsigned i = 0; i < 4; ++i) at[i] = static_cast<std::uint8_t>(ip >> (24U - 8 * i));
}

bool is_letter_or_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

}  // namespace

std::vector<std::uint8_t> encode(Command command, FrameType type, std::uint16_t sequence,
                                 std::span<const std::uint8_t> data) {
    const auto number = static_cast<std::uint16_t>(command);
    return encode(Frame{.type = type,
                        .sequence = sequence,
                        .set = static_cast<std::uint8_t>(number >> 8U),
                        .id = static_cast<std::uint8_t>(number),
                        .data = data});
}

bool is_broadcast_code(std::string_view code) {
    return code.size() == code_length && std::all_of(code.begin(), code.end(), is_letter_or_digit) &&
           code.find("000000000") == std::string_view::npos;
}

std::array<std::uint8_t, 19> encode(const Advert& advert) {
    std::array<std::uint8_t, 19> data{};
    std::copy_n(advert.code.begin(), std::min(advert.code.size(), code_length), data.begin());
    data[16] = static_cast<std::uint8_t>(advert.type);
    return data;
}

std::optional<Advert> parse_advert(std::span<const std::uint8_t> data) {
    if (data.size() != 19 || data[code_length] != 0) return std::nullopt;
    const auto end = std::find(data.begin(), data.begin() + code_length, std::uint8_t{0});
    return Advert{.code = std::string(data.begin(), end), .type = static_cast<DeviceType>(data[16])};
}

std::array<std::uint8_t, 10> encode(const Handshake& handshake) {
    std::array<std::uint8_t, 10> data{};
    put_ip(&data[0], handshake.ip);
    put(&data[4], handshake.data_port);
    put(&data[6], handshake.command_port);
    put(&data[8], handshake.sensor_port);
    return data;
}

std::optional<Handshake> parse_handshake(std::span<const std::uint8_t> data) {
    if (data.size() != 10) return std::nullopt;
    return Handshake{.ip = take_ip(&data[0]),
                     .data_port = take<std::uint16_t>(&data[4]),
                     .command_port = take<std::uint16_t>(&data[6]),
                     .sensor_port = take<std::uint16_t>(&data[8])};
}

std::array<std::uint8_t, 13> encode(const IpSettings& settings) {
    std::array<std::uint8_t, 13> data{settings.mode};
    put_ip(&data[1], settings.ip);
    put_ip(&data[5], settings.mask);
    put_ip(&data[9], settings.gateway);
    return data;
}

std::optional<IpSettings> parse_ip_settings(std::span<const std::uint8_t> data) {
    if (data.size() != 13 || data[0] > 1) return std::nullopt;
    return IpSettings{
        .mode = data[0], .ip = take_ip(&data[1]), .mask = take_ip(&data[5]), .gateway = take_ip(&data[9])};
}

std::array<std::uint8_t, 24> encode(const Extrinsics& extrinsics) {
    std::array<std::uint8_t, 24> data{};
    const std::array angles{extrinsics.roll, extrinsics.pitch, extrinsics.yaw};
    const std::array lengths{extrinsics.x, extrinsics.y, extrinsics.z};
    for (std::size_t i = 0; i < 3; ++i) {
        put(&data[4 * i], std::bit_cast<std::uint32_t>(angles[i]));
        put(&data[12 + 4 * i], static_cast<std::uint32_t>(lengths[i]));
    }
    return data;
}

std::optional<Extrinsics> parse_extrinsics(std::span<const std::uint8_t> data) {
    if (data.size() != 24) return std::nullopt;
    const auto angle = [&](std::size_t i) { return std::bit_cast<float>(take<std::uint32_t>(&data[4 * i])); };
    const auto length = [&](std::size_t i) {
        return static_cast<std::int32_t>(take<std::uint32_t>(&data[12 + 4 * i]));
    };
    return Extrinsics{
        .roll = angle(0), .pitch = angle(1), .yaw = angle(2), .x = length(0), .y = length(1), .z = length(2)};
}

std::array<std::uint8_t, 7> encode(const HeartbeatAnswer& answer) {
    std::array<std::uint8_t, 7> data{answer.code, static_cast<std::uint8_t>(answer.state), answer.feature};
    put(&data[3], answer.status);
    return data;
}

std::optional<HeartbeatAnswer> parse_heartbeat_answer(std::span<const std::uint8_t> data) {
    if (data.size() != 7 || data[1] > static_cast<std::uint8_t>(State::unknown)) return std::nullopt;
    return HeartbeatAnswer{.code = data[0],
                           .state = static_cast<State>(data[1]),
                           .feature = data[2],
                           .status = take<std::uint32_t>(&data[3])};
}

}  // namespace interfaces::livox
