#include "interfaces/j1939/identifier.hpp"

#include <algorithm>

namespace interfaces::j1939 {

bool is_addressed(std::uint32_t group) { return ((group >> 8) & 0xFFu) < 240; }

Identifier identifier_of(std::uint32_t id) {
    Identifier identifier{.priority = static_cast<std::uint8_t>(id >> 26 & 7u),
                          .group = id >> 8 & 0x3FFFFu,
                          .source = static_cast<std::uint8_t>(id)};
    if (!is_addressed(identifier.group)) return identifier;
    identifier.destination = static_cast<std::uint8_t>(identifier.group);
    identifier.group &= 0x3FF00u;
    return identifier;
}

std::uint32_t id_of(const Identifier& identifier) {
    std::uint32_t group = identifier.group & 0x3FFFFu;
    if (is_addressed(group)) group = (group & 0x3FF00u) | identifier.destination;
    return (identifier.priority & 7u) << 26 | group << 8 | identifier.source;
}

can::Frame frame_of(const Identifier& identifier, std::span<const std::uint8_t> bytes) {
    can::Frame frame{.id = id_of(identifier), .extended = true};
    frame.size = static_cast<std::uint8_t>(std::min(bytes.size(), can::classic_size));
    std::copy_n(bytes.begin(), frame.size, frame.data.begin());
    return frame;
}

}  // namespace interfaces::j1939
