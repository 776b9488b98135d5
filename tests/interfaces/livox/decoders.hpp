#pragma once

#include "interfaces/livox/device.hpp"
#include "interfaces/livox/recording.hpp"

#include <cstdint>
#include <span>

/// Every decoder of the protocol under bytes of which nothing is known: entry points for fuzzing. They return how much
/// was accepted, so that a test sees that its inputs reach the inside.
namespace tests::decoders {

inline std::size_t frames(std::span<const std::uint8_t> bytes) {
    using namespace interfaces::livox;
    std::size_t accepted = 0;
    while (const auto frame = next_frame(bytes)) {
        ++accepted;
        (void)parse_advert(frame->data);
        (void)parse_handshake(frame->data);
        (void)parse_extrinsics(frame->data);
        (void)parse_ip_settings(frame->data);
        (void)parse_heartbeat_answer(frame->data);
    }
    return accepted;
}

/// The bytes are the data of one command after the other: id, set, length, data.
inline std::size_t commands(std::span<const std::uint8_t> bytes) {
    using namespace interfaces::livox;
    Device device{DeviceSettings{}};
    constexpr Address client{0x7F000001, 55501};
    Device::Outbox out;
    const auto hands = encode(Handshake{.ip = client.ip, .data_port = 1, .command_port = 2, .sensor_port = 1});
    std::int64_t now = 0;
    while (bytes.size() >= 3) {
        if (!device.connected())
            device.receive(encode(Command::handshake, FrameType::acknowledge, 0, hands), client, now, out);
        const std::size_t size = std::min<std::size_t>(bytes[2], bytes.size() - 3);
        const Frame frame{.set = bytes[1], .id = bytes[0], .data = bytes.subspan(3, size)};
        device.receive(encode(frame), client, now, out);
        device.tick(now += 100'000'000, out);
        (void)device.stream();
        bytes = bytes.subspan(3 + size);
    }
    return out.size();
}

inline std::size_t packet(std::span<const std::uint8_t> bytes) {
    using namespace interfaces::livox;
    const auto view = PacketView::parse(bytes);
    if (!view) return 0;
    std::size_t accepted = 0;
    for (std::size_t i = 0; i < view->size(); ++i) {
        for (std::size_t k = 0; k < view->returns(); ++k) {
            const Point point = view->point(i, k);
            accepted += point.x == point.x ? 1 : 0;
        }
    }
    return accepted;
}

inline std::size_t lvx(std::span<const std::uint8_t> bytes) {
    auto reader = interfaces::livox::LvxReader::parse(bytes);
    if (!reader) return 0;
    std::size_t accepted = 1;
    while (const auto next = reader->next()) accepted += packet(next->bytes);
    return accepted;
}

}  // namespace tests::decoders
