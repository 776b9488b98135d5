#pragma once

#include "master/report/report.hpp"
#include "master/report/report_file.hpp"
#include "master/run_record.hpp"
#include "master/session.hpp"
#include "master/statistics.hpp"
#include "master/taps/observer.hpp"

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
    const report::ReportFile& wishes;    // of the system
    const taps::Observer& observer;
};

/// The sidecar run.json.
[[nodiscard]] RunRecord record_of(const RunOutput& output);
/// report.html with plots of what was recorded.
void write_report_of(const RunOutput& output, const RunRecord& record);
[[nodiscard]] Statistics statistics_of(const RunOutput& output);
/// The numbers that the system wishes for.
[[nodiscard]] report::Facts facts_of(const RunOutput& output);
/// A dozen lines for the terminal.
[[nodiscard]] std::string summary_of(const RunOutput& output);

}  // namespace master
