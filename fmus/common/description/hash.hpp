#pragma once

#include <cstdint>
#include <string_view>

namespace fmus {

/// FNV-1a, 64 bits: a fingerprint against mix-ups, not against forgery.
[[nodiscard]] constexpr std::uint64_t hash(std::string_view text, std::uint64_t seed = 0xcbf29ce484222325ULL) {
    std::uint64_t value = seed;
    for (const char c : text) {
        value ^= static_cast<unsigned char>(c);
        value *= 0x100000001b3ULL;
    }
    return value;
}

}  // namespace fmus
