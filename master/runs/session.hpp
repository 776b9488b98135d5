#pragma once

#include "master/base/error.hpp"
#include "master/build/simulation.hpp"
#include "master/core/profile.hpp"
#include "master/core/run.hpp"

#include <chrono>
#include <optional>
#include <span>
#include <string>

namespace master::runs {

/// How a run ended.
struct Outcome {
    base::Exit exit = base::Exit::ok;
    base::Time reached;
    std::uint64_t points = 0;  // communication points after the start
    std::chrono::duration<double> wall{}, cpu{};
    std::optional<base::Error> error;
    std::string ended_by;                             // a unit that asked for the end, and its last message; or empty
    std::string missed;                               // the goals of the system that were, in words; or empty
    std::optional<base::Time> floating_point_change;  // the first: after its first step a unit is not watched for it
};

/// Looks at a run now and then. In between it costs a comparison, where a tap costs two calls in every step.
class Visitor {
public:
    virtual ~Visitor() = default;
    /// Called at the start and whenever the time is reached that was returned last.
    [[nodiscard]] virtual base::Time visit(base::Time t, const core::Signals& signals) = 0;
};

/// Runs an initialised simulation to its stop time, to Ctrl-C, or to the first error, and finishes all taps whatever
/// happened: what was recorded so far is kept. Without a pacer it goes as fast as possible.
[[nodiscard]] Outcome execute(build::Simulation& simulation, std::span<core::Tap* const> taps,
                              core::Profile* profile = nullptr, Visitor* visitor = nullptr,
                              core::Pacer* pacer = nullptr);

}  // namespace master::runs
