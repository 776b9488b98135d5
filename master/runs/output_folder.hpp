#pragma once

#include "master/base/error.hpp"
#include "master/report/run_record.hpp"
#include "master/results/unwritten_rows.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace master::runs {

/// The folder that a run writes to: made if it is missing, locked while the object lives (also by processes that are
/// forked from this one), and removed again if nothing came into it.
class OutputFolder {
public:
    /// Throws `Error` where another run writes there.
    explicit OutputFolder(std::filesystem::path path);
    ~OutputFolder();
    OutputFolder(const OutputFolder&) = delete;
    OutputFolder& operator=(const OutputFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::filesystem::path record() const { return path_ / "run.json"; }
    [[nodiscard]] std::filesystem::path report() const { return path_ / "report.html"; }

    /// Processes that a unit forks and leaves behind would hold the lock: they let go of it. For the process of the
    /// run.
    void keep_lock_from_forks() const;
    /// Completes the results of a run that was killed together with its supervisor.
    void repair() const;
    /// Throws `Error` where a device, a pipe or a folder has the name of a file that a run writes.
    void refuse_special() const;
    /// Throws `Error` where a file would be replaced that no run.json there names.
    void refuse_strangers() const;
    /// Throws `Error` where one of them would be replaced; relative paths from `from`.
    void refuse_inputs(std::span<const report::RunRecord::File> inputs, const std::filesystem::path& from) const;
    /// Throws `Error` where another file that the user names for the run is one of those that belong to the folder, or
    /// an input.
    void refuse_shared(const std::filesystem::path& file, std::span<const report::RunRecord::File> inputs) const;
    /// What an earlier run left must not be taken for this one's.
    void clear() const;

    /// The record of a run that begins; room for its last version is kept, since a disk may be full then.
    void write_first(const report::RunRecord& record) const;
    void write_last(const report::RunRecord& record) const;

    /// The record of a run that failed before its first step, where there is none: no rows, and why. Nothing that an
    /// earlier run left is touched.
    void write_failure(std::vector<std::string> arguments, std::vector<report::RunRecord::File> inputs,
                       const base::Error& error) const;

    /// The process of the run is gone: completes its results and tells the record how it ended. True where there are
    /// results or a record.
    bool conclude(const results::UnwrittenRows& rows, const report::AmendOutcome& amend) const;

private:
    [[nodiscard]] std::vector<std::filesystem::path> outputs() const;
    [[nodiscard]] std::filesystem::path reserve() const { return path_ / ".run.json.reserve"; }
    void complete(const results::UnwrittenRows* rows, const report::AmendOutcome& amend) const;

    std::filesystem::path path_;
    std::vector<std::filesystem::path> made_;  // innermost first
    int lock_ = -1;
};

}  // namespace master::runs
