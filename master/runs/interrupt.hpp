#pragma once

#include "master/core/run.hpp"

#include <atomic>
#include <sys/types.h>

namespace master::runs {

/// While it lives, Ctrl-C and SIGTERM ask the run to end after the step under way instead of ending the process. A
/// second Ctrl-C ends it at once.
class InterruptGuard {
public:
    InterruptGuard();
    ~InterruptGuard();
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

    [[nodiscard]] static bool interrupted();
    /// From now on it is this that asks the run to end, which another process may set; signals set it too, and any
    /// number of them. Where one comes after that process has died, as its death sends one, this process ends at once
    /// if the run has not ended `patience` seconds later: in a unit that does not come back nobody else would end it.
    static void obey(std::atomic<bool>& asked, pid_t watcher, double patience);
};

/// As fast as possible, until Ctrl-C.
class FastPacer final : public core::Pacer {
public:
    [[nodiscard]] bool go() override { return !InterruptGuard::interrupted(); }
    void wait_until(base::Time /*t*/) override {}
};

/// As fast as possible, to where another run was when it was stopped, or until Ctrl-C.
class PacerTo final : public core::Pacer {
public:
    PacerTo(base::Time start, base::Timebase timebase, double until) : at_(start), timebase_(timebase), until_(until) {}
    [[nodiscard]] bool go() override { return timebase_.seconds(at_) < until_ && !InterruptGuard::interrupted(); }
    void wait_until(base::Time t) override { at_ = t; }

private:
    base::Time at_;
    base::Timebase timebase_;
    double until_;  // s
};

}  // namespace master::runs
