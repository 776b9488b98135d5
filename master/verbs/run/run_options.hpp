#pragma once

#include "master/build/options.hpp"
#include "master/runs/output_folder.hpp"
#include "master/runs/taps/exchange.hpp"
#include "master/verbs/contracts/run_contract.hpp"
#include "master/verbs/run/replace_options.hpp"
#include "master/verbs/run/run_view.hpp"
#include "master/verbs/supervised.hpp"

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace master::verbs {

struct RunOptions {
    build::BuildOptions build;
    std::filesystem::path out, scenario, trace, repeat, log, can_log;
    std::string format = "csv";
    std::string record_interval;
    std::string shadow = "auto";
    std::string realtime;    // factor as typed; empty: as fast as possible
    std::string event_rows;  // on, off; empty: on where every point is a row
    bool strict = false, quiet = false, stats = false, csv_units = false, overwrite = false, long_run = false;
    Supervision supervision;
    ReplaceOptions replacing;
    runs::ExchangeOptions exchange;
    ViewOptions view;
    ContractOptions contract;
    std::vector<std::string> arguments;
    std::optional<double> until;  // s, where a run that is repeated was stopped
};

void add_options(CLI::App& verb, RunOptions& options);

/// In `run --record A B SYSTEM` the last word is the system.
void take_system_after_patterns(build::BuildOptions& build);

/// Throws `Error` where a file that an option names is one of the folder's own or an input.
void refuse_shared(const RunOptions& options, const runs::OutputFolder& folder,
                   std::span<const report::RunRecord::File> inputs);
/// The same as far as it is known before the inputs are, since messages of the first unit are logged already.
void refuse_to_replace(const RunOptions& options, const runs::OutputFolder& folder);

/// Why there can be no shadow beside the run, whatever is wished; empty where there can. `Error` where one is asked for
/// beside a view.
[[nodiscard]] std::string why_no_shadow(const RunOptions& options);
/// Simulated over real time; nothing: as fast as possible.
[[nodiscard]] std::optional<double> real_time_factor(const std::string& realtime);

/// A folder for a repeated run that is not there yet.
[[nodiscard]] std::filesystem::path folder_of_repeat(const std::filesystem::path& wished,
                                                     const std::filesystem::path& record);

}  // namespace master::verbs
