#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace master::view {

/// What a page asks for; see README.md, "Client to server".
struct ClientMessage {
    enum class Do : std::uint8_t { take, give, release, pause, go, step, speed, reset, set, levers, budget, seek, end };
    static constexpr std::size_t most_bytes = 4096;
    static constexpr std::size_t most_levers = 64;
    static constexpr std::uint32_t most_steps = 1'000'000;
    static constexpr std::uint32_t most_points = 200'000;
    static constexpr double fastest = 1000;

    Do what = Do::take;
    std::uint32_t number = 0;    // give: client; step: how many; set: signal; budget: points
    double value = 0;            // speed, set, seek
    bool alive = false;          // levers: the dead-man key is held
    std::vector<double> levers;  // -1 to 1

    friend bool operator==(const ClientMessage&, const ClientMessage&) = default;
};

/// Nothing for bytes that are no message, or one with numbers out of their ranges.
[[nodiscard]] std::optional<ClientMessage> parse_client_message(std::string_view text);

}  // namespace master::view
