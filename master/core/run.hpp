#pragma once

#include "master/base/time.hpp"
#include "master/core/algorithm.hpp"
#include "master/core/system.hpp"
#include "master/core/tap.hpp"

#include <span>

namespace master::core {

/// Decides whether a run goes on, and how fast: as fast as possible, in real time, step by step, until Ctrl-C.
class Pacer {
public:
    virtual ~Pacer() = default;
    [[nodiscard]] virtual bool go() = 0;
    virtual void wait_until(base::Time t) = 0;
};

struct Interval {
    base::Time from, to;
};

/// The loop, all of it: over the interval, or until a unit or the pacer ends it. Returns the time reached.
base::Time run(System& system, Algorithm& algorithm, std::span<Tap* const> taps, Pacer& pacer,
               const Interval& interval);

}  // namespace master::core
