#pragma once

#include "master/base/time.hpp"
#include "master/core/plan.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace master::core {

/// A wire of reals whose receiver sees more than the last value: `compensated` holds the value expected in the middle
/// of the receiver's step, `linear` starts at the value expected at its beginning and adds a slope. With the same
/// period at both ends only the last value is remembered; otherwise samples at least one (longer) period apart are, so
/// that a difference is never stretched.
struct HeldWire {
    std::uint32_t from = 0, to = 0, count = 1;
    std::uint32_t sender = 0;   // node
    std::uint32_t history = 0;  // first of the remembered values: `count` when uniform, else 2 * count
    Hold hold = Hold::compensated;
    bool uniform = true;
    bool sender_first = false;  // the sender has been stepped to the end of the receiver's step already
    double gain = 1, offset = 0;
    base::Duration span;         // the longer of the two periods
    base::Time base, candidate;  // times of the remembered samples, when not uniform
    double per_second = 0;       // 1 / span in seconds
};

/// One real of a compensated wire between units of the same period, the usual case: what the receiver sees is
/// gain * (y + weight * (y - previous)) + offset.
struct EvenWire {
    double gain = 1, offset = 0;
    double weight = 0.5;  // -0.5 if the sender was stepped first: the mean of old and new
    double previous = 0;
    std::uint32_t from = 0, to = 0;
    std::uint32_t sender = 0;  // node
};

/// The receiver's step that a value is held over, and the time its sender's value belongs to.
struct HoldInterval {
    base::Time t;
    base::Duration h;
    base::Time visible;
};

/// Writes what the receiver of `wire` sees, and remembers what was sent. `slopes` may be null if no wire is linear.
void hold(HeldWire& wire, const HoldInterval& interval, const double* outputs, double* inputs, double* slopes,
          double* history);

/// Something jumped: the next hold of this wire is constant at the present value.
void forget(HeldWire& wire, base::Time visible, const double* outputs, double* history);

}  // namespace master::core
