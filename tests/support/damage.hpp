#pragma once

#include <array>
#include <random>
#include <string>

namespace tests {

/// Changes, removes and inserts a few bytes. Pieces of XML make it likelier that the result is still well-formed.
inline std::string damaged(std::string bytes, std::mt19937& random) {
    constexpr std::array pieces{"0",     "-1",   "99999999999", "\"", "<", "/>", " ", "valueReference",
                                "1e400", "\xFF", "NaN"};
    const auto below = [&](std::size_t count) {
        return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
    };
    const std::size_t changes = 1 + below(4);
    for (std::size_t i = 0; i < changes && !bytes.empty(); ++i) {
        const std::size_t at = below(bytes.size());
        switch (below(4)) {
            case 0:
                bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
                break;
            case 1:
                bytes.erase(at, 1 + below(40));
                break;
            case 2:
                bytes.insert(at, pieces[below(pieces.size())]);
                break;
            default:
                bytes[at] = static_cast<char>('0' + below(10));
                break;
        }
    }
    return bytes;
}

}  // namespace tests
