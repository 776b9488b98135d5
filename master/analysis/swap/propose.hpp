#pragma once

#include "master/analysis/swap/proposal.hpp"
#include "master/base/diagnostics.hpp"
#include "master/base/log.hpp"
#include "master/build/options.hpp"
#include "master/runs/board.hpp"

#include <filesystem>
#include <string>

namespace master::analysis {

struct ProposalRequest {
    build::BuildOptions build;  // the system as it is
    std::filesystem::path scenario;
    std::string component;
    std::filesystem::path fmu;
    bool rest_of_old = false;  // what has no partner stays with the old unit
};

/// Runs the system once, excites every input of both units alone on a bench and compares what their outputs do, then
/// replays the recorded inputs into the new unit alone. An input that does nothing alone is excited beside one that is
/// known already. Names, descriptions and declared units break ties.
[[nodiscard]] Proposal propose_map(const ProposalRequest& request, base::Diagnostics& diagnostics, base::Log& log,
                                   runs::Board* board = nullptr);

}  // namespace master::analysis
