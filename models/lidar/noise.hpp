#pragma once

#include <cstdint>

namespace models::lidar {

/// Random numbers as a function of a counter: a ray has the same noise however the time is cut into steps, and there is
/// no state to save. `stream` tells apart several numbers of one ray.
struct Draw {
    std::uint64_t seed = 1, ray = 0;
    std::uint32_t stream = 0;
};

/// In (0, 1).
[[nodiscard]] double uniform(const Draw& draw);
/// Normal with mean 0 and standard deviation 1.
[[nodiscard]] double normal(const Draw& draw);

}  // namespace models::lidar
