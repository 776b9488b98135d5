#include "interfaces/livox/device.hpp"
#include "interfaces/livox/host.hpp"

#include <cstdint>
#include <cstdlib>
#include <span>

/// The control channel: a device and a host each get the bytes as a datagram, before and in a session.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace interfaces::livox;
    const std::span<const std::uint8_t> bytes(data, size);
    const Address host{interfaces::udp::loopback, 55501};
    Device device({});
    Device::Outbox out;
    device.receive(bytes, host, 1, out);
    const auto hands = encode(Handshake{host.ip, 56001, 55501, 56001});
    device.receive(encode(Command::handshake, FrameType::acknowledge, 1, hands), host, 2, out);
    device.receive(bytes, host, 3, out);
    device.tick(5'000'000'000, out);
    if (out.size() > 2 * size + 8) std::abort();  // no answer is longer than what was asked allows
    Host client({.code = "", .commands = host, .data = {host.ip, 56001}});
    client.discover(bytes, device.settings().own, 1, out);
    const auto advert = encode(Command::advert, FrameType::message, 0, encode(Advert{.code = "3GGDJ6K00200101"}));
    client.discover(advert, device.settings().own, 2, out);
    client.receive(bytes, device.settings().own, 3, out);
    client.tick(5'000'000'000, out);
    return 0;
}
