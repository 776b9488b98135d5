#pragma once

#include "master/build/simulation.hpp"

#include <filesystem>
#include <string>

namespace master::verbs {

/// What a run would record, and where.
struct ExpectedResult {
    const build::Simulation& simulation;
    std::string format, interval;  // the interval as typed, empty for every point
    std::filesystem::path out;
};

/// A run of more than 10^9 points, or of more bytes than the disk has free, is an `Error` that says both numbers: it
/// has to be asked for.
void require_asked_for(const ExpectedResult& expected);

}  // namespace master::verbs
