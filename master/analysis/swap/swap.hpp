#pragma once

#include "master/analysis/linear/linearization.hpp"
#include "master/analysis/swap/interface_diff.hpp"
#include "master/analysis/swap/run_cost.hpp"
#include "master/analysis/swap/verdict.hpp"
#include "master/base/log.hpp"
#include "master/runs/board.hpp"
#include "master/runs/prepare.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace master::analysis {

/// Two runs to compare: the system as it is, and the system with something exchanged.
struct SwapRequest {
    build::BuildOptions before, after;
    std::filesystem::path scenario;  // of both; empty: none
    double transient = 0;            // s after the start that are judged apart
};

/// One signal of both runs, in the old unit of measure.
struct SwappedSignal {
    std::string name, new_name, unit;
    std::vector<double> before, after;  // at the times of the swap
    Difference initial;                 // within the transient
    Difference difference;
    Difference rest;            // behind what is judged: where an error bar has ended, or stories have parted
    std::optional<double> bar;  // what the coupling errors of both runs explain
    double solvers = 0;         // what a smaller tolerance changes in both runs
    double noise = 0;           // what other seeds change in both runs
    Judgement judgement;
};

/// The same question to both systems, around the same time.
struct SwappedResponse {
    Linearization before, after;
};

struct Swap {
    std::string component;
    std::vector<InterfaceChange> changes;
    std::vector<std::string> lost, held;
    RunCost before, after;
    std::vector<double> time;
    std::vector<std::string> seeds;            // that were changed to measure the noise
    bool common_noise = true;                  // both runs have the same
    std::string solvers;                       // how their errors were measured, or why not; empty: there are none
    std::string parted;                        // where discrete signals tell different stories from then on
    std::vector<SwappedSignal> signals;        // largest difference for its range first
    std::vector<std::string> unmatched;        // recorded in one run only
    Verdict verdict = Verdict::no_difference;  // physics where any signal says so, else the weakest
    std::string advice;                        // how error bars that hide differences become smaller
    std::optional<SwappedResponse> response;   // where it was asked for
};

/// Runs both with their shadows, and judges every signal that both record.
[[nodiscard]] Swap swap_units(const SwapRequest& request, base::Diagnostics& diagnostics, base::Log& log,
                              runs::Board* board = nullptr);

}  // namespace master::analysis
