#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string_view>
#include <vector>

namespace tests {

using Bytes = std::vector<std::uint8_t>;

inline Bytes bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

/// A few of the usual accidents: bits flipped, bytes changed, put in, left out, filled, doubled, cut off, mixed with
/// another sample's. Of exact size on the heap, so that a sanitizer sees any step beyond the end.
inline Bytes mutated(std::span<const std::uint8_t> sample, std::span<const std::uint8_t> other,
                     std::minstd_rand& random) {
    Bytes bytes(sample.begin(), sample.end());
    const auto below = [&](std::size_t count) { return count == 0 ? 0 : random() % count; };
    const auto piece_of = [&](std::span<const std::uint8_t> from) {
        const std::size_t at = below(from.size());
        const auto piece = from.subspan(at, below(from.size() - at + 1));
        return Bytes(piece.begin(), piece.end());
    };
    for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
        const std::size_t at = below(bytes.size());
        const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(at);
        const auto length = static_cast<std::ptrdiff_t>(std::min<std::size_t>(1 + below(16), bytes.size() - at));
        switch (below(8)) {
            case 0:
                if (!bytes.empty()) bytes[at] ^= static_cast<std::uint8_t>(1U << below(8));
                break;
            case 1:
                if (!bytes.empty()) bytes[at] = static_cast<std::uint8_t>(random());
                break;
            case 2:
                bytes.insert(begin, static_cast<std::uint8_t>(random()));
                break;
            case 3:
                bytes.erase(begin, begin + length);
                break;
            case 4:
                std::fill_n(begin, length, static_cast<std::uint8_t>(below(2) == 0 ? 0 : 255));
                break;
            case 5: {
                const Bytes piece = piece_of(bytes);
                bytes.insert(begin, piece.begin(), piece.end());
                break;
            }
            case 6: {
                const Bytes piece = piece_of(other);
                bytes.insert(begin, piece.begin(), piece.end());
                break;
            }
            default:
                bytes.resize(at);
        }
    }
    return {bytes.begin(), bytes.end()};
}

/// Calls a decoder's body with mutations of samples, each made from a seed, so that a failure can be had again.
template <typename Body>
void fuzz(std::span<const Bytes> samples, unsigned count, const Body& body) {
    for (unsigned seed = 0; seed < count; ++seed) {
        std::minstd_rand random(seed * 2654435761u);  // quick to seed, and there are many seeds
        const Bytes& sample = samples[random() % samples.size()];
        const Bytes& other = samples[random() % samples.size()];
        const Bytes bytes = mutated(sample, other, random);
        body(std::span<const std::uint8_t>(bytes));
    }
}

}  // namespace tests
