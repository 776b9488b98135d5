#pragma once

#include "master/report/run_record.hpp"
#include "master/verbs/console.hpp"
#include "master/verbs/run/run_options.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace master::verbs {

/// The run of a run.json again, with its own options, from its own folder; then the two are compared. Only FMUs with
/// the recorded content are run, and everything is written into a new folder.
class Repetition {
public:
    /// Reads the record, says what is touched, and goes to the folder in which the run was started: `wish.out`, the new
    /// folder, is a whole path. Throws `Error` for a record that cannot be used.
    Repetition(const RunOptions& wish, Console& console);

    [[nodiscard]] RunOptions& options() { return options_; }

    /// The repeat has ended so, and left this record: says whether it ended as the run did, and with the same bits.
    /// Returns the exit code.
    [[nodiscard]] int judge(int code, const std::filesystem::path& repeated) const;

private:
    [[nodiscard]] bool ends_alike(int code, const std::filesystem::path& repeated) const;
    [[nodiscard]] bool has_same_bits(const report::RunRecord::File& result,
                                     const std::vector<std::string>& switched) const;
    [[nodiscard]] bool has_same_signals(const std::string& name, const std::vector<std::string>& switched) const;

    std::filesystem::path shown_;  // the record, as it was named
    std::filesystem::path file_;
    report::RunRecord record_;
    RunOptions options_;
};

}  // namespace master::verbs
