#pragma once

#include "master/base/time.hpp"
#include "master/core/profile.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace master::runs {

/// What `--stats` prints: where the wall time of a run went.
struct Statistics {
    struct Row {
        std::string name;
        std::uint64_t steps = 0;
        double seconds = 0;
        std::vector<std::pair<std::string, std::uint64_t>> counters = {};  // of the unit itself
    };
    std::vector<Row> units;
    double wall = 0;       // s
    double simulated = 0;  // s
    std::uint64_t points = 0;
    std::uint64_t threaded_points = 0;  // stepped on several threads
};

/// A table with the costliest unit first, and the master's own share.
[[nodiscard]] std::string statistics_table(const Statistics& statistics);

/// Writes the profile's slices in the trace-event format that chrome://tracing and Perfetto show; one track per unit.
/// `names` are the units' in the order of the profile.
void write_trace(const std::filesystem::path& file, const core::Profile& profile, const std::vector<std::string>& names,
                 base::Timebase timebase);

}  // namespace master::runs
