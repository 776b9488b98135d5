#pragma once

#include "master/algorithm.hpp"
#include "master/system.hpp"
#include "master/tap.hpp"
#include "master/time.hpp"

#include <span>

namespace master {

/// Decides whether a run goes on, and how fast: as fast as possible, in real time, step by step, until Ctrl-C.
class Pacer {
public:
    virtual ~Pacer() = default;
    [[nodiscard]] virtual bool go() = 0;
    virtual void wait_until(Time t) = 0;
};

/// The loop, all of it: from the system's start to `stop`, or until a unit or the pacer ends it. Returns the time
/// reached.
Time run(System& system, Algorithm& algorithm, std::span<Tap* const> taps, Pacer& pacer, Time stop);

}  // namespace master
