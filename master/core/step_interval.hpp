#pragma once

#include "master/base/time.hpp"

namespace master::core {

/// The interval of a step, in ticks and in seconds.
struct StepInterval {
    base::Time begin, end;
    double now = 0, length = 0;
    double until = 0;  // now + length
};

}  // namespace master::core
