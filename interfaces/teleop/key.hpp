#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace interfaces::teleop {

/// A secret that both ends have. It signs packets; replays are found by session and sequence.
class Key {
public:
    static constexpr std::size_t tag_size = 16, shortest = 16;

    /// Throws std::invalid_argument for less than 16 bytes.
    explicit Key(std::string_view secret);

    /// The first bytes of HMAC-SHA256.
    [[nodiscard]] std::array<std::uint8_t, tag_size> tag(std::span<const std::uint8_t> bytes) const;
    /// In a time that does not tell how much of it was right.
    [[nodiscard]] bool matches(std::span<const std::uint8_t> bytes, std::span<const std::uint8_t> tag) const;

private:
    std::vector<std::uint8_t> secret_;
};

/// The secret in a file, without the end of its line. Throws std::runtime_error where it cannot be read, and as Key
/// does.
[[nodiscard]] Key read_key(const std::string& path);

/// A number that nobody can guess, and not 0.
[[nodiscard]] std::uint32_t random_id();

}  // namespace interfaces::teleop
