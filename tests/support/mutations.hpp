#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string_view>
#include <vector>

namespace tests {

using Bytes = std::vector<std::uint8_t>;

inline Bytes bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

/// One of the usual accidents: flipped bits, bytes changed, left out, doubled, cut off, swapped with another sample's.
inline Bytes mutated(Bytes bytes, const Bytes& other, std::minstd_rand& random) {
    const auto place = [&](std::size_t size) { return size == 0 ? 0 : random() % size; };
    const unsigned rounds = 1 + random() % 4;
    for (unsigned round = 0; round < rounds; ++round) {
        const std::size_t at = place(bytes.size());
        const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(at);
        switch (random() % 7) {
            case 0:
                if (!bytes.empty()) bytes[at] ^= static_cast<std::uint8_t>(1u << random() % 8);
                break;
            case 1:
                if (!bytes.empty()) bytes[at] = static_cast<std::uint8_t>(random());
                break;
            case 2:
                bytes.insert(begin, static_cast<std::uint8_t>(random()));
                break;
            case 3:
                bytes.erase(begin, begin + static_cast<std::ptrdiff_t>(place(bytes.size() - at + 1)));
                break;
            case 4:
                bytes.resize(at);
                break;
            case 5: {
                const std::size_t from = place(other.size()), count = place(other.size() - from + 1);
                const Bytes piece(other.begin() + static_cast<std::ptrdiff_t>(from),
                                  other.begin() + static_cast<std::ptrdiff_t>(from + count));
                bytes.insert(begin, piece.begin(), piece.end());
                break;
            }
            default:
                if (!bytes.empty()) bytes[at] = random() % 2 ? 0xFF : 0x00;
        }
    }
    return bytes;
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
