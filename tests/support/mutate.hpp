#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace tests {

/// Bytes with a few of them flipped, replaced, cut out, doubled or cut off; of exact size on the heap, so that a
/// sanitizer sees any step beyond the end.
inline std::vector<std::uint8_t> mutated(std::span<const std::uint8_t> original, std::mt19937& random) {
    std::vector<std::uint8_t> bytes(original.begin(), original.end());
    const auto below = [&](std::size_t count) { return count == 0 ? 0 : random() % count; };
    for (std::size_t changes = 1 + below(3); changes > 0 && !bytes.empty(); --changes) {
        const std::size_t at = below(bytes.size());
        const auto position = bytes.begin() + static_cast<std::ptrdiff_t>(at);
        const std::size_t length = std::min<std::size_t>(1 + below(16), bytes.size() - at);
        switch (below(6)) {
            case 0:
                bytes[at] = static_cast<std::uint8_t>(bytes[at] ^ 1U << below(8));
                break;
            case 1:
                bytes[at] = static_cast<std::uint8_t>(random());
                break;
            case 2:
                std::fill_n(position, length, static_cast<std::uint8_t>(below(2) == 0 ? 0 : 255));
                break;
            case 3:
                bytes.erase(position, position + static_cast<std::ptrdiff_t>(length));
                break;
            case 4: {
                const std::vector<std::uint8_t> piece(position, position + static_cast<std::ptrdiff_t>(length));
                bytes.insert(position, piece.begin(), piece.end());
                break;
            }
            default:
                bytes.resize(at);
                break;
        }
    }
    return {bytes.begin(), bytes.end()};
}

}  // namespace tests
