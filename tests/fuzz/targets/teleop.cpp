#include "interfaces/teleop/control_gate.hpp"
#include "interfaces/teleop/datagrams.hpp"
#include "interfaces/teleop/link.hpp"
#include "interfaces/teleop/operator_station.hpp"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <stdexcept>

/// Packets for both ends, datagrams inside of a simulation, and the text that describes a link.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace interfaces::teleop;
    const std::span<const std::uint8_t> bytes(data, size);
    ControlGate gate(1);
    OperatorStation station(2);
    const auto take = [&](std::span<const std::uint8_t> datagram) {
        const auto packet = decode(datagram, nullptr);
        if (!packet) return;
        station.receive(*packet, 1'000'000'000);
        if (const auto* command = std::get_if<Command>(&packet->content))
            gate.receive(packet->header, *command, 1'000'000'000);
        if (encode(*packet, nullptr).size() != datagram.size()) std::abort();
    };
    take(bytes);
    if (auto batch = DatagramReader::parse(bytes))
        while (const auto datagram = batch->next()) take(*datagram);
    for (const double axis : gate.axes(1'000'000'000))
        if (!(std::abs(axis) <= 1)) std::abort();
    try {
        (void)parse_link({reinterpret_cast<const char*>(data), size});
    } catch (const std::invalid_argument&) {
    }
    return 0;
}
