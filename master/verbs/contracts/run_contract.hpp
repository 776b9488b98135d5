#pragma once

#include "master/contracts/monitor.hpp"
#include "master/runs/session.hpp"
#include "master/runs/taps/bus_monitor.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

namespace CLI {
class App;
}

namespace master::verbs {

/// `run --contract SPEC [--warn]`.
struct ContractOptions {
    std::vector<std::filesystem::path> specifications;  // none: nothing is watched
    bool warn = false;
};

void add_contract_options(CLI::App& verb, ContractOptions& options);

/// The promises of a specification in one run, from the wish to the verdicts.
class RunContract {
public:
    RunContract(const ContractOptions& options, const build::BuildOptions& build, base::Diagnostics& diagnostics);

    /// What the build has to find.
    void add_requests(std::vector<build::SignalRequest*>& requests);
    /// Those who watch; none where nothing is. The simulation stands at its start.
    [[nodiscard]] std::vector<core::Tap*> start(const build::Simulation& simulation, base::Diagnostics& diagnostics);
    /// A broken promise is an error and exit code 3, or a warning where that is asked for.
    [[nodiscard]] std::vector<contracts::Verdict> judge(runs::Outcome& outcome, base::Diagnostics& diagnostics) const;

private:
    ContractOptions options_;
    std::vector<contracts::WatchList> lists_;  // one for each specification of signals
    std::optional<contracts::Monitor> monitor_;
    std::vector<std::unique_ptr<runs::BusMonitor>> buses_;  // one for each of messages
};

}  // namespace master::verbs
