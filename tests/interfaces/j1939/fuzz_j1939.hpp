#pragma once

#include "interfaces/can/socketcan.hpp"
#include "interfaces/j1939/address_claim.hpp"
#include "interfaces/j1939/transport_protocol.hpp"
#include "interfaces/j1939/trouble_codes.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>

namespace tests {

/// Any bytes as frames of 13 bytes (identifier, size, data) that a device with address 1 sees, 20 ms apart.
inline void fuzz_j1939(std::span<const std::uint8_t> bytes) {
    using namespace interfaces;
    j1939::TransportProtocol transport(1);
    j1939::AddressClaim claim({.identity = 5, .arbitrary_address = true}, 1);
    claim.start(0);
    static_cast<void>(transport.send(0, {{.group = 0xEF00, .destination = 2}, std::vector<std::uint8_t>(100, 7)}));
    double t = 0;
    for (; bytes.size() >= 13; bytes = bytes.subspan(13), t += 0.02) {
        can::Frame frame{.extended = true, .size = std::uint8_t(bytes[4] % 9)};
        frame.id = (bytes[0] | bytes[1] << 8 | bytes[2] << 16 | std::uint32_t{bytes[3]} << 24) & 0x1FFFFFFFu;
        std::copy_n(bytes.begin() + 5, 8, frame.data.begin());
        transport.take(t, frame);
        transport.advance(t);
        claim.take(t, frame);
        claim.advance(t);
        std::size_t frames = 0;
        while (transport.next_frame()) ++frames;
        while (claim.next_frame()) ++frames;
        if (frames > 2000) std::abort();
        while (const auto message = transport.next_message()) {
            if (message->data.size() > j1939::most_bytes) std::abort();
            static_cast<void>(j1939::active_trouble_codes(message->data));
        }
    }
    transport.advance(t + 10);
    if (transport.next_time() && *transport.next_time() < t) std::abort();
}

}  // namespace tests
