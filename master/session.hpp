#pragma once

#include "master/build.hpp"
#include "master/error.hpp"
#include "master/profile.hpp"

#include <chrono>
#include <optional>
#include <span>
#include <string>

namespace master {

/// How a run ended.
struct Outcome {
    Exit exit = Exit::ok;
    Time reached;
    std::uint64_t points = 0;  // communication points after the start
    std::chrono::duration<double> wall{}, cpu{};
    std::optional<Error> error;
    std::string ended_by;                       // a unit that asked for the end, and its last message; or empty
    std::optional<Time> floating_point_change;  // the first: after its first step a unit is not watched for it
};

/// Runs an initialised simulation to its stop time, to Ctrl-C, or to the first error, and finishes all taps whatever
/// happened: what was recorded so far is kept.
[[nodiscard]] Outcome execute(Simulation& simulation, std::span<Tap* const> taps, Profile* profile = nullptr);

}  // namespace master
