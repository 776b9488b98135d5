#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace interfaces::teleop {

/// How bad a link is. Each datagram takes the delay and, evenly distributed, up to the jitter more or less, so they may
/// overtake one another; the rate counts 28 bytes of IPv4 and UDP headers with each.
struct LinkSettings {
    std::int64_t delay = 0, jitter = 0;  // ns
    double loss = 0;                     // share of the datagrams
    double rate = 0;                     // bit/s, 0: unlimited
    std::uint64_t seed = 1;
};

/// "delay=80ms,jitter=20ms,loss=2%,rate=100kbit/s,seed=7", any of them; throws std::invalid_argument that names the
/// part.
[[nodiscard]] LinkSettings parse_link(std::string_view text);

/// One direction of a link: what is put in comes out when it is due, or never. What happens to the n-th datagram
/// depends on the seed, n, and the times at which datagrams were put in, and on nothing else. Times are ns.
class Link {
public:
    /// Datagrams that wait for a slow link longer than this are lost, as in a router with a full queue.
    static constexpr std::int64_t longest_queue = 500'000'000;
    static constexpr std::size_t headers = 28;
    static constexpr std::size_t most_in_flight = 4096;

    explicit Link(const LinkSettings& settings) : settings_(settings) {}

    /// A mark goes with the datagram and means something to the caller alone.
    void put(std::span<const std::uint8_t> datagram, std::int64_t now, std::uint64_t mark = 0);
    struct Arrival {
        std::uint64_t mark = 0;
        std::vector<std::uint8_t> datagram;
        auto members() { return std::tie(mark, datagram); }
    };
    /// The next datagram that is due by now.
    [[nodiscard]] std::optional<Arrival> take(std::int64_t now);
    /// When the next one is due; none if nothing is on its way.
    [[nodiscard]] std::optional<std::int64_t> next() const;
    [[nodiscard]] std::uint64_t lost() const { return lost_; }
    /// All that a copy has.
    auto members() { return std::tie(settings_, flights_, count_, lost_, free_at_); }

private:
    struct Flight {
        std::int64_t due = 0;
        std::uint64_t number = 0;
        Arrival arrival;
        auto members() { return std::tie(due, number, arrival); }
    };
    static bool later(const Flight& a, const Flight& b);

    LinkSettings settings_;
    std::vector<Flight> flights_;  // a heap, the next one on top
    std::uint64_t count_ = 0, lost_ = 0;
    std::int64_t free_at_ = 0;  // when a limited rate has room again
};

}  // namespace interfaces::teleop
