#pragma once

#include "master/report/error_bar.hpp"

#include <cstdint>
#include <string>

namespace master::analysis {

/// What a run cost.
struct RunCost {
    double wall = 0;           // s
    std::uint64_t points = 0;  // communication points
    std::uint64_t events = 0;  // that units counted
    std::string step;          // s
    std::string finer_step;    // a quarter of it
    report::ErrorBar bar;
};

}  // namespace master::analysis
