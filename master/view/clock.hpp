#pragma once

#include <chrono>

namespace master::view {

/// Seconds on the steady clock, which all processes of a machine share.
[[nodiscard]] inline double steady_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace master::view
