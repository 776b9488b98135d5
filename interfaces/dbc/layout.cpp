#include "interfaces/dbc/layout.hpp"

#include "interfaces/can/timing.hpp"

#include <algorithm>

namespace interfaces::dbc {

Layout layout(const Signal& signal) {
    const std::uint32_t byte = signal.start / 8u, bit = signal.start % 8u;
    if (signal.order == ByteOrder::little) return {byte, (bit + signal.length + 7u) / 8u, bit};
    // The start is the most significant bit; counted from the first byte's highest bit on, the signal is contiguous.
    const std::uint32_t last = 8 * byte + (7 - bit) + signal.length - 1u;
    return {byte, last / 8 - byte + 1, 7 - last % 8};
}

bool fits(const Signal& signal, std::size_t size) {
    const Layout place = layout(signal);
    return place.first + place.count <= size;
}

bool is_one_frame(const Message& message) {
    if (message.size <= can::classic_size) return true;
    if (!message.fd || message.size > can::fd_size) return false;
    const auto size = static_cast<std::uint8_t>(message.size);
    return can::length_of_code(can::length_code(size), true) == size;
}

std::uint8_t mask_in_byte(const Signal& signal, std::uint32_t byte) {
    const Layout place = layout(signal);
    if (byte < place.first || byte >= place.first + place.count) return 0;
    const std::uint32_t rank =
        signal.order == ByteOrder::little ? byte - place.first : place.first + place.count - 1 - byte;
    const std::uint32_t low = rank == 0 ? place.shift : 0;
    const std::uint32_t end = std::min<std::uint32_t>(8, place.shift + signal.length - 8 * rank);
    return static_cast<std::uint8_t>((0xFFu << low) & (0xFFu >> (8 - end)));
}

}  // namespace interfaces::dbc
