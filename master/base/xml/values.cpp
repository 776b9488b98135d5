#include "master/base/xml/values.hpp"

namespace master::base {

std::optional<std::vector<std::uint8_t>> bytes_from_hexadecimal(std::string_view text) {
    text = trimmed(text);
    if (text.size() % 2 != 0) return std::nullopt;
    std::vector<std::uint8_t> bytes;
    bytes.reserve(text.size() / 2);
    for (std::size_t i = 0; i < text.size(); i += 2) {
        std::uint8_t byte = 0;
        const auto [end, failure] = std::from_chars(text.data() + i, text.data() + i + 2, byte, 16);
        if (failure != std::errc{} || end != text.data() + i + 2) return std::nullopt;
        bytes.push_back(byte);
    }
    return bytes;
}

}  // namespace master::base
