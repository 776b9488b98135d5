// A device that claims an address and sends every message of more than eight bytes back, reversed: to everyone by BAM,
// to one address by request and clear to send. Ends with its input. usage: j1939_answer BUS ADDRESS
#include "interfaces/can/transport.hpp"
#include "interfaces/j1939/address_claim.hpp"
#include "interfaces/j1939/transport_protocol.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <poll.h>
#include <unistd.h>

using namespace interfaces;

namespace {

void answer(j1939::TransportProtocol& protocol, double t, j1939::Message message) {
    std::reverse(message.data.begin(), message.data.end());
    if (message.identifier.destination != j1939::everyone) message.identifier.destination = message.identifier.source;
    if (!protocol.send(t, std::move(message))) std::printf("refused\n");
}

void serve(can::Transport& bus, std::uint8_t address) {
    const auto start = std::chrono::steady_clock::now();
    j1939::AddressClaim claim({.identity = 1234, .manufacturer = 666, .function = 25}, address);
    j1939::TransportProtocol protocol(address);
    claim.start(0);
    while (true) {
        pollfd wait[2]{{.fd = bus.descriptor(), .events = POLLIN, .revents = 0},
                       {.fd = STDIN_FILENO, .events = POLLIN, .revents = 0}};
        ::poll(wait, 2, 5);
        if (wait[1].revents != 0) return;
        const double t = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        while (const auto received = bus.receive()) {
            claim.take(t, received->frame);
            protocol.take(t, received->frame);
        }
        claim.advance(t);
        protocol.advance(t);
        while (auto message = protocol.next_message())
            if (message->data.size() > 8) answer(protocol, t, std::move(*message));
        while (const auto frame = claim.next_frame()) static_cast<void>(bus.send(*frame));
        while (const auto frame = protocol.next_frame()) static_cast<void>(bus.send(*frame));
    }
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 3) return 2;
    try {
        const auto bus = can::open_transport(arguments[1]);
        std::printf("%s\n", bus->name().c_str());
        std::fflush(stdout);
        serve(*bus, static_cast<std::uint8_t>(std::atoi(arguments[2])));
    } catch (const can::Error& error) {
        std::printf("%s\n", error.what());
        return 2;
    }
}
