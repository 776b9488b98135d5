#pragma once

#include <chrono>
#include <cstdint>

namespace master::base {

/// True about once per period of wall time. Reads the clock only every few calls: the spacing follows the observed rate
/// so that a fast loop pays a decrement and a slow one is still served in time.
class Pulse {
public:
    using Clock = std::chrono::steady_clock;

    explicit Pulse(Clock::duration period) : period_(period), last_look_(Clock::now()), next_(last_look_ + period) {}

    [[nodiscard]] bool due() {
        if (--countdown_ > 0) return false;
        return look(Clock::now());
    }

private:
    bool look(Clock::time_point now) {
        // A look every 1/32 period at most, every 1/8 at least, if the rate stays what it was.
        const auto passed = now - last_look_;
        if (passed < period_ / 32 && spacing_ < (1U << 20)) spacing_ *= 2;
        if (passed > period_ / 8) spacing_ = passed > period_ ? 1 : (spacing_ + 1) / 2;
        countdown_ = spacing_;
        last_look_ = now;
        if (now < next_) return false;
        next_ = now + period_;
        return true;
    }

    Clock::duration period_;
    Clock::time_point last_look_;
    Clock::time_point next_;
    std::uint32_t spacing_ = 1;
    std::int64_t countdown_ = 1;
};

}  // namespace master::base
