#pragma once

#include "master/runs/output_folder.hpp"
#include "master/runs/supervisor.hpp"
#include "master/verbs/console.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace master::verbs {

/// How a verb that runs units is watched.
struct Supervision {
    runs::SupervisorOptions options;
    bool in_process = false;
};

/// `--unit-timeout`, `--memory-limit`, `--in-process`.
void add_supervision_options(CLI::App& verb, Supervision& supervision);

/// Where a run leaves its results; null: nowhere.
struct RunFiles {
    const runs::OutputFolder* folder = nullptr;
    const results::UnwrittenRows* rows = nullptr;
    std::filesystem::path can_log = {};       // empty: none
    std::vector<std::string> arguments = {};  // of the run, for its record; empty: without a record it stays
    std::filesystem::path system = {};
};

/// Does the work in a process of its own and says how that ended where it cannot say it itself. Returns the exit code.
[[nodiscard]] int supervised(const Supervision& supervision, Console& console, const RunFiles& files,
                             const std::function<int(runs::Board&)>& work, runs::Companion* companion = nullptr);

}  // namespace master::verbs
