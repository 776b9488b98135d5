#pragma once

#include "master/core/run.hpp"
#include "master/report/pacing.hpp"

#include <chrono>
#include <optional>

namespace master::runs {

/// While it lives, the operating system prefers the threads of this process and keeps the process in memory, as far as
/// it permits.
class RealTimePriority {
public:
    RealTimePriority();
    ~RealTimePriority();
    RealTimePriority(const RealTimePriority&) = delete;
    RealTimePriority& operator=(const RealTimePriority&) = delete;

    /// "SCHED_FIFO 10, memory locked", or what was refused.
    [[nodiscard]] std::string text() const;

private:
    bool preferred_, locked_;
};

/// The clock of the machine; tests have one of their own.
class MonotonicClock {
public:
    using TimePoint = std::chrono::steady_clock::time_point;

    virtual ~MonotonicClock() = default;
    [[nodiscard]] virtual TimePoint now() { return std::chrono::steady_clock::now(); }
    /// Returns early on Ctrl-C.
    virtual void sleep_until(TimePoint t);
};

/// Holds the simulated time to the monotonic clock. A step that is computed too late is a missed deadline, and the next
/// ones follow without a pause until the clock is caught up; but no more than `longest_catch_up`: what is beyond is
/// given up, so that a run that cannot keep up slows down and nobody outside sees minutes in a burst.
class RealTimePacer final : public core::Pacer {
public:
    static constexpr std::chrono::milliseconds longest_catch_up{100};

    RealTimePacer(MonotonicClock& clock, base::Time start, base::Timebase timebase, double factor);

    [[nodiscard]] bool go() override;
    void wait_until(base::Time t) override;

    /// From now on that fast, from `t` on: what time passed before does not count.
    void pace_from(base::Time t, double factor);

    [[nodiscard]] const report::Pacing& pacing() const { return pacing_; }
    void scheduling(std::string text) { pacing_.scheduling = std::move(text); }

private:
    void miss(std::chrono::nanoseconds late);

    MonotonicClock& clock_;
    base::Timebase timebase_;
    base::Time start_;
    double nanoseconds_per_tick_;
    std::optional<MonotonicClock::TimePoint> origin_;  // of the start
    report::Pacing pacing_;
};

}  // namespace master::runs
