#pragma once

#include "master/report/error_bar.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace master::report {

/// How a run kept up with the clock.
struct Pacing {
    static constexpr std::array<double, 4> bounds{1e-4, 1e-3, 1e-2, 1e-1};  // s, of the histogram

    double factor = 1;                                    // simulated over real time
    std::string scheduling;                               // what the operating system granted
    std::uint64_t deadlines = 0;                          // communication points
    std::uint64_t missed = 0;                             // computed after their time
    std::array<std::uint64_t, bounds.size() + 1> late{};  // the missed ones, by how late; the last: above all bounds
    double worst = 0;                                     // s, of the missed ones
    double slipped = 0;                                   // s of real time that were given up instead of caught up
};

/// "12 of 60000 deadlines missed, ..."; empty where none was.
[[nodiscard]] std::string misses(const Pacing& pacing);
[[nodiscard]] TextLines lines(const Pacing& pacing);

}  // namespace master::report
