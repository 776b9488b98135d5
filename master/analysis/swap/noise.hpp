#pragma once

#include "master/build/options.hpp"
#include "master/core/system.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace master::analysis {

/// A parameter that says which of many equally likely noises a unit makes: its name, or the last word of it, is "seed".
struct NoiseSeed {
    std::string component, name;
    std::string token;  // of the unit
    std::int64_t value = 0;
    std::int64_t other = 1;  // as good a value as its own

    [[nodiscard]] std::string path() const { return component + "." + name; }
};
[[nodiscard]] bool names_a_seed(const std::string& variable);
/// Of all units, with the values that they have.
[[nodiscard]] std::vector<NoiseSeed> seeds_of(core::System& system);

/// What two runs know of their noises.
struct Seeding {
    std::vector<NoiseSeed> before, after;  // that may make the two differ
    bool common = true;                    // both draw the same noise, so that it is in no difference
};
/// The seeds of the exchanged component, and others that were changed. Noise is common where the same unit has the same
/// seed and the same step.
[[nodiscard]] Seeding seeding(const std::vector<NoiseSeed>& before, const std::vector<NoiseSeed>& after,
                              const std::string& component, bool same_step);

/// The same run with other noise.
[[nodiscard]] build::BuildOptions reseeded(build::BuildOptions options, const std::vector<NoiseSeed>& seeds);

}  // namespace master::analysis
