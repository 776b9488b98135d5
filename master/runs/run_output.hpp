#pragma once

#include "master/contracts/verdict.hpp"
#include "master/report/observer.hpp"
#include "master/report/pacing.hpp"
#include "master/report/report.hpp"
#include "master/report/report_file.hpp"
#include "master/report/run_record.hpp"
#include "master/runs/session.hpp"
#include "master/runs/statistics.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace master::runs {

class CanLog;

/// What a run leaves behind beside its signals.
struct RunOutput {
    const build::Simulation& simulation;
    const build::BuildOptions& options;
    const Outcome& outcome;
    const base::Diagnostics& diagnostics;
    const core::Profile* profile = nullptr;  // null when nothing was measured
    std::filesystem::path folder;            // of the results
    std::string result;                      // file name of the recorded signals, empty if none
    std::vector<std::string> arguments;      // of the command line, verb first
    const report::ReportFile& wishes;        // of the system
    const report::Observer& observer;
    std::vector<report::StepResponse> steps = {};
    report::ErrorBar error_bar = {};
    std::vector<report::BondEnergy> bonds = {};
    std::filesystem::path scenario = {};        // empty if none
    std::optional<report::Pacing> pacing = {};  // of a run in real time
    const CanLog* can_log = nullptr;            // null: nobody asked for one
    std::vector<contracts::Verdict> requirements = {};
    std::string stopped_by = "Ctrl-C or another signal";  // where somebody stopped it
    bool has_report = true;                               // it could be written
};

/// Finds the steps that the system wishes to hear of in what was recorded.
void add_steps(RunOutput& output);

/// How the record of a run begins to tell its end as long as there is none.
inline constexpr std::string_view goes_on = "incomplete: the run goes on";
/// What a run reads, as far as that is known where it failed before its first step.
[[nodiscard]] std::vector<report::RunRecord::File> known_inputs(const build::BuildOptions& options);
/// The sidecar run.json as it is when the run begins: everything but its end, which says that there is none yet.
[[nodiscard]] report::RunRecord record_of(const RunOutput& output);
[[nodiscard]] std::vector<report::RunRecord::Signal> record_signals(const build::Simulation& simulation);
/// What is known at the end.
void add_end(const RunOutput& output, report::RunRecord& record);
/// report.html with plots of what was recorded.
void write_report_of(const RunOutput& output, const report::RunRecord& record);
[[nodiscard]] Statistics statistics_of(const RunOutput& output);
/// The numbers that the system wishes for.
[[nodiscard]] report::Facts facts_of(const RunOutput& output);
/// A dozen lines for the terminal. The first says where the coupling has not converged.
[[nodiscard]] std::string summary_of(const RunOutput& output);

}  // namespace master::runs
