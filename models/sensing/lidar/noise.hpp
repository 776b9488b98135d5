#pragma once

#include <cstdint>

namespace models::lidar {

/// Random numbers as a function of a counter: a ray has the same noise however the time is cut into steps, and there is
/// no state to save. `stream` tells apart several numbers of one ray.
class Noise {
public:
    Noise(std::uint64_t seed, std::uint32_t stream);
    /// In (0, 1).
    [[nodiscard]] double uniform(std::uint64_t ray) const;
    /// With mean 0 and standard deviation 1.
    [[nodiscard]] double normal(std::uint64_t ray) const;

private:
    std::uint64_t key_;
};

}  // namespace models::lidar
