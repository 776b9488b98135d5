#pragma once

#include <cstdarg>
#include <cstddef>
#include <string>

namespace master::fmi {

/// Bytes of a message that are passed on.
constexpr std::size_t longest_message = std::size_t{64} * 1024;

/// A printf-style message as text: bounded, and never interpreted when a conversion could write or run away (%n, `*`,
/// wide characters, positions, absurd widths); such a message is passed on as it stands. Units also send texts with a
/// %s and no argument: whatever lies in its place is read only where memory can be read.
[[nodiscard]] std::string format_message(const char* format, std::va_list arguments);

}  // namespace master::fmi
