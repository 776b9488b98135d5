#pragma once

#include <atomic>
#include <sys/types.h>

namespace master::runs {

/// From now on this process asks the run to end when its parent has died, and ends at once if that takes longer than
/// `patience` seconds: in a unit that does not come back nobody else would end it.
void end_after(pid_t parent, std::atomic<bool>& stop, double patience);

}  // namespace master::runs
