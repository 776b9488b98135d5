#pragma once

#include "master/run_record.hpp"
#include "master/session.hpp"
#include "master/statistics.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace master {

/// What a run leaves behind beside its signals.
struct RunOutput {
    const Simulation& simulation;
    const BuildOptions& options;
    const Outcome& outcome;
    const Diagnostics& diagnostics;
    const Profile* profile = nullptr;    // null when nothing was measured
    std::filesystem::path folder;        // of the results
    std::string result;                  // file name of the recorded signals, empty if none
    std::vector<std::string> arguments;  // of the command line, verb first
};

/// The sidecar run.json.
[[nodiscard]] RunRecord record_of(const RunOutput& output);
/// report.html with plots of what was recorded.
void write_report_of(const RunOutput& output, const RunRecord& record);
[[nodiscard]] Statistics statistics_of(const RunOutput& output);
/// At most ten lines for the terminal.
[[nodiscard]] std::string summary_of(const RunOutput& output);

}  // namespace master
