#pragma once

#include "master/run.hpp"

namespace master {

/// While it lives, Ctrl-C and SIGTERM ask the run to end after the step under way instead of ending the process. A
/// second Ctrl-C ends it at once.
class InterruptGuard {
public:
    InterruptGuard();
    ~InterruptGuard();
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

    [[nodiscard]] static bool interrupted();
};

/// As fast as possible, until Ctrl-C.
class FastPacer final : public Pacer {
public:
    [[nodiscard]] bool go() override { return !InterruptGuard::interrupted(); }
    void wait_until(Time /*t*/) override {}
};

}  // namespace master
