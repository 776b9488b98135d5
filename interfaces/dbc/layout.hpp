#pragma once

#include "interfaces/dbc/database.hpp"

namespace interfaces::dbc {

/// The bytes in which a signal lies. Its least significant bit is `shift` bits above that of the lowest byte, which is
/// the first one where little endian, else the last one.
struct Layout {
    std::uint32_t first = 0, count = 0, shift = 0;
};

[[nodiscard]] Layout layout(const Signal& signal);

[[nodiscard]] bool fits(const Signal& signal, std::size_t size);

/// One frame carries the message: up to 8 bytes, an FD frame also 12, 16, 20, 24, 32, 48 or 64.
[[nodiscard]] bool is_one_frame(const Message& message);

/// The signal's bits in a byte of its message.
[[nodiscard]] std::uint8_t mask_in_byte(const Signal& signal, std::uint32_t byte);

}  // namespace interfaces::dbc
