#pragma once

#include "master/build/parts.hpp"
#include "master/build/requests/open_inputs.hpp"
#include "master/build/requests/signal_request.hpp"
#include "master/build/timing.hpp"
#include "master/core/algorithm.hpp"
#include "master/core/system.hpp"
#include "master/results/column.hpp"

#include <memory>
#include <vector>

namespace master::build {

/// A system that is ready to be initialised and run, with all it is made of.
struct Simulation {
    Parts parts;
    Timing timing;
    const core::AlgorithmEntry* method = nullptr;
    std::string method_reason;  // where nobody chose it and it is not the usual one
    std::unique_ptr<core::System> system;
    std::unique_ptr<core::Algorithm> algorithm;
    std::vector<results::Column> columns;      // what is recorded
    std::vector<results::Constant> constants;  // parameters beside it
    std::vector<OpenInput> open_inputs;        // what may be written while it runs
    std::vector<std::string> outside;          // units that talk to the world outside
};

/// Reads the system, checks it and instantiates its units; fills in `requests`. Throws `Error` if anything is wrong.
[[nodiscard]] Simulation make_simulation(const BuildOptions& options, SignalRequests requests,
                                         base::Diagnostics& diagnostics, base::Log& log);

}  // namespace master::build
