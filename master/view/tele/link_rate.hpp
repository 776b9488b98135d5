#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>

namespace master::view {

/// What comes over a link per second. Measured for each kind of packet from one of its arrivals to another: a window
/// that begins and ends anywhere would count a large packet too many or too few.
class LinkRate {
public:
    struct Sizes {
        std::uint64_t bytes = 0, content = 0;  // content: those of numbers
    };
    struct Rates {
        double bits = 0, content = 0;  // bit/s
    };
    void arrived(double now, std::size_t kind, Sizes sizes);
    [[nodiscard]] Rates rates(double now);

private:
    struct Arrival {
        double time = 0;  // s
        Sizes sizes;
    };
    std::map<std::size_t, std::deque<Arrival>> arrivals_;  // by kind
};

}  // namespace master::view
