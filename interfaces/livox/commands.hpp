#pragma once

#include "interfaces/livox/frame.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace interfaces::livox {

/// Command set (upper byte) and command id.
enum class Command : std::uint16_t {
    advert = 0x0000,
    handshake = 0x0001,
    device_info = 0x0002,
    heartbeat = 0x0003,
    sampling = 0x0004,
    coordinates = 0x0005,
    disconnect = 0x0006,
    status = 0x0007,
    set_ip = 0x0008,
    get_ip = 0x0009,
    reboot = 0x000A,
    set_parameter = 0x000B,
    get_parameter = 0x000C,
    reset_parameters = 0x000D,
    mode = 0x0100,
    set_extrinsics = 0x0101,
    get_extrinsics = 0x0102,
    rain_fog = 0x0103,
    set_fan = 0x0104,
    get_fan = 0x0105,
    set_return_mode = 0x0106,
    get_return_mode = 0x0107,
    set_imu_rate = 0x0108,
    get_imu_rate = 0x0109,
    set_utc = 0x010A,
};

[[nodiscard]] constexpr Command command_of(const Frame& frame) {
    return static_cast<Command>(frame.set << 8U | frame.id);
}
[[nodiscard]] std::vector<std::uint8_t> encode(Command command, FrameType type, std::uint16_t sequence,
                                               std::span<const std::uint8_t> data);

enum class DeviceType : std::uint8_t { hub = 0, mid_40 = 1, tele = 2, horizon = 3, mid_70 = 6, avia = 7 };
enum class State : std::uint8_t { initializing, normal, power_saving, standby, error, unknown };
enum class Coordinates : std::uint8_t { cartesian, spherical };
enum class ReturnMode : std::uint8_t { first, strongest, dual, triple };

inline constexpr std::size_t code_length = 15;  // of a broadcast code; on the wire a zero follows

/// 15 letters and digits, as the SDK and the ROS driver want them.
[[nodiscard]] bool is_broadcast_code(std::string_view code);

/// What a device says of itself while nobody is connected.
struct Advert {
    std::string code;
    DeviceType type = DeviceType::mid_70;
};
[[nodiscard]] std::array<std::uint8_t, 19> encode(const Advert& advert);
[[nodiscard]] std::optional<Advert> parse_advert(std::span<const std::uint8_t> data);

/// Where a client wants its data; the sensor port carries the number of the data port.
struct Handshake {
    std::uint32_t ip = 0;
    std::uint16_t data_port = 0, command_port = 0, sensor_port = 0;
};
[[nodiscard]] std::array<std::uint8_t, 10> encode(const Handshake& handshake);
[[nodiscard]] std::optional<Handshake> parse_handshake(std::span<const std::uint8_t> data);

/// The address of a device in its own network.
struct IpSettings {
    std::uint8_t mode = 1;  // 0 dynamic, 1 static
    std::uint32_t ip = 0, mask = 0, gateway = 0;
    friend bool operator==(const IpSettings&, const IpSettings&) = default;
};
[[nodiscard]] std::array<std::uint8_t, 13> encode(const IpSettings& settings);
[[nodiscard]] std::optional<IpSettings> parse_ip_settings(std::span<const std::uint8_t> data);

/// The place of the sensor that a client left with the device.
struct Extrinsics {
    float roll = 0, pitch = 0, yaw = 0;  // degrees
    std::int32_t x = 0, y = 0, z = 0;    // mm
};
[[nodiscard]] std::array<std::uint8_t, 24> encode(const Extrinsics& extrinsics);
[[nodiscard]] std::optional<Extrinsics> parse_extrinsics(std::span<const std::uint8_t> data);

/// The answer to a heartbeat.
struct HeartbeatAnswer {
    std::uint8_t code = 0;
    State state = State::normal;
    std::uint8_t feature = 0;  // 1: rain and fog suppression
    std::uint32_t status = 0;  // progress while initializing
};
[[nodiscard]] std::array<std::uint8_t, 7> encode(const HeartbeatAnswer& answer);
[[nodiscard]] std::optional<HeartbeatAnswer> parse_heartbeat_answer(std::span<const std::uint8_t> data);

}  // namespace interfaces::livox
