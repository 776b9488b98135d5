#include "interfaces/livox/points.hpp"

#include <cstdint>
#include <cstdlib>
#include <span>

/// A packet of points as it comes from a network.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace interfaces::livox;
    const auto packet = PacketView::parse(std::span(data, size));
    if (!packet) return 0;
    (void)time_of(packet->header());
    if (packet->size() > size) std::abort();
    for (std::size_t pulse = 0; pulse < packet->size(); ++pulse)
        for (std::size_t number = 0; number < packet->returns(); ++number) (void)packet->point(pulse, number);
    return 0;
}
