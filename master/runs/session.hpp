#pragma once

#include "master/base/error.hpp"
#include "master/build/simulation.hpp"
#include "master/core/profile.hpp"
#include "master/core/run.hpp"
#include "master/runs/board.hpp"

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
    std::string put_back;                             // what units had changed of the process, in words; or empty
};

/// Looks at a run now and then. In between it costs a comparison, where a tap costs two calls in every step.
class Visitor {
public:
    virtual ~Visitor() = default;
    /// Called at the start and whenever the time is reached that was returned last.
    [[nodiscard]] virtual base::Time visit(base::Time t, const core::Signals& signals) = 0;
};

/// Those who look at a run while it goes on, or hold it back; null: nobody.
struct Watchers {
    core::Profile* profile = nullptr;
    Visitor* visitor = nullptr;
    Board* board = nullptr;
    core::Pacer* pacer = nullptr;  // null: as fast as possible
};

/// Runs an initialised simulation to its stop time, to Ctrl-C, or to the first error, and finishes all taps whatever
/// happened: what was recorded so far is kept. The units are not terminated.
[[nodiscard]] Outcome execute(build::Simulation& simulation, std::span<core::Tap* const> taps,
                              const Watchers& watchers = {});

/// What the units have to say at the end, beside what ended it.
void add_unit_warnings(const build::Simulation& simulation, base::Diagnostics& diagnostics);

/// Units whose events came late to those that they are connected to, since values are exchanged between steps.
void note_late_events(const build::Simulation& simulation, base::Diagnostics& diagnostics);

/// What came out of a unit's call that is no error of ours: an exception of its own, named by the call.
[[nodiscard]] std::optional<base::Error> foreign_exception(const Board& board, const std::string& what);

}  // namespace master::runs
