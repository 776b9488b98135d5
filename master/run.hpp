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

struct Interval {
    Time from, to;
};

/// The loop, all of it: over the interval, or until a unit or the pacer ends it. Returns the time reached.
Time run(System& system, Algorithm& algorithm, std::span<Tap* const> taps, Pacer& pacer, const Interval& interval);

}  // namespace master
