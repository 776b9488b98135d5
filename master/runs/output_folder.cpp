#include "master/runs/output_folder.hpp"

#include "master/base/atomic_file.hpp"
#include "master/results/formats.hpp"
#include "master/results/hdf5_handle.hpp"
#include "master/results/recorder.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <unistd.h>

namespace master::runs {
namespace {

constexpr std::uintmax_t usual_reserve = 1 << 16;
constexpr std::uintmax_t part_of_disk = 8;  // of what is free: most of a small disk is for the rows

int lock_of_this_process = -1;  // a handler of fork can reach nothing but globals

bool has_ended(const std::filesystem::path& record) {
    try {
        return report::read_run_record(record).outcome.exit.has_value();
    } catch (const base::Error&) {
        return false;  // no record of a run
    }
}

}  // namespace

OutputFolder::OutputFolder(std::filesystem::path path) : path_(std::move(path)) {
    const std::filesystem::path whole = std::filesystem::absolute(path_).lexically_normal();
    std::error_code problem;
    for (auto at = whole.filename().empty() ? whole.parent_path() : whole;
         at.has_relative_path() && !std::filesystem::exists(at, problem); at = at.parent_path())
        made_.push_back(at);
    std::filesystem::create_directories(path_, problem);
    if (problem)
        throw base::Error("write-failed", path_.string(), "cannot make the folder: " + problem.message(),
                          base::Exit::failed);
    lock_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    // A file system without locks is no reason to refuse a run.
    if (lock_ < 0 || ::flock(lock_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
    ::close(lock_);
    throw base::Error("locked", path_.string(), "another run is writing there; wait for it, or name another --out");
}

OutputFolder::~OutputFolder() {
    // Only those that are empty.
    for (const std::filesystem::path& folder : made_) ::rmdir(folder.c_str());
    if (lock_ >= 0) ::close(lock_);
}

void OutputFolder::keep_lock_from_forks() const {
    lock_of_this_process = lock_;
    ::pthread_atfork(nullptr, nullptr, [] { ::close(lock_of_this_process); });
}

std::vector<std::filesystem::path> OutputFolder::outputs() const {
    std::vector<std::filesystem::path> files{record(), report()};
    for (const std::string& format : results::formats()) {
        files.push_back(path_ / results::file_name(format));
        files.push_back(results::partial_name(files.back()));
    }
    return files;
}

void OutputFolder::repair() const {
    // What a run that ended by itself left was not to be completed.
    if (std::filesystem::exists(record()) && has_ended(record())) return;
    complete(nullptr, [](report::RunRecord::Outcome& outcome) {
        outcome.ended = "incomplete: the run was killed; its results are complete up to where they end";
    });
}

void OutputFolder::write_first(const report::RunRecord& record) const {
    report::write_run_record(this->record(), record);
    std::error_code ignored;  // without room for it the last version may fail, which is said then
    const std::uintmax_t extra =
        std::min(usual_reserve, std::filesystem::space(path_, ignored).available / part_of_disk);
    const auto size = static_cast<off_t>(2 * std::filesystem::file_size(this->record(), ignored) + extra);
    const int file = ::open(reserve().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0) return;
    ::posix_fallocate(file, 0, size);
    ::close(file);
}

void OutputFolder::write_last(const report::RunRecord& record) const {
    ::unlink(reserve().c_str());
    report::write_run_record(this->record(), record);
}

void OutputFolder::write_failure(std::vector<std::string> arguments, std::vector<report::RunRecord::File> inputs,
                                 const base::Error& error) const {
    if (std::filesystem::exists(record())) return;
    report::RunRecord failed;
    failed.version = TANDEM_VERSION;
    failed.folder = std::filesystem::current_path().string();
    failed.arguments = std::move(arguments);
    failed.inputs = std::move(inputs);
    failed.environment = report::this_environment();
    failed.outcome = {.exit = static_cast<int>(base::Exit::failed),
                      .ended = "failed: " + error.where() + ": " + error.what()};
    failed.error_bar = {.missing = "the run failed before its first step"};
    report::write_run_record(record(), failed);
}

void OutputFolder::complete(const results::UnwrittenRows* rows, const report::AmendOutcome& amend) const {
    ::unlink(reserve().c_str());
    const std::vector<std::filesystem::path> partials = results::partial_results(path_);
    if (rows == nullptr && partials.empty()) return;
    for (const std::filesystem::path& partial : partials) {
        if (rows != nullptr && rows->file() != std::filesystem::absolute(partial)) continue;  // of somebody else
        const bool ready = rows != nullptr && rows->is_ready();
        // Of the recorder that has just died: it could not take rows yet, and no reader opens it.
        if (rows != nullptr && !ready && results::is_closed_to_readers(partial)) {
            std::filesystem::remove(partial);
            continue;
        }
        static_cast<void>(results::complete_result(partial, ready ? rows : nullptr));
    }
    if (std::filesystem::exists(record())) report::amend_run_record(record(), amend);
}

bool OutputFolder::conclude(const results::UnwrittenRows& rows, const report::AmendOutcome& amend) const {
    complete(&rows, amend);
    return std::ranges::any_of(outputs(), [](const auto& file) { return std::filesystem::exists(file); });
}

void OutputFolder::refuse_special() const {
    for (const std::filesystem::path& file : outputs())
        if (base::is_special(file))
            throw base::Error("overwrite", file.string(),
                              "a run writes a file of this name, and what is there is no regular file; name another "
                              "--out");
}

void OutputFolder::refuse_strangers() const {
    std::vector<std::filesystem::path> known;
    if (std::filesystem::exists(record())) {
        try {
            for (const report::RunRecord::File& result : report::read_run_record(record()).results) {
                known.push_back(path_ / result.path);
                known.push_back(results::partial_name(known.back()));
            }
            known.push_back(record());
            known.push_back(report());
        } catch (const base::Error&) {
            // No record of a run: a file like any other.
        }
    }
    for (const std::filesystem::path& file : outputs()) {
        if (!std::filesystem::exists(file) || std::ranges::count(known, file) > 0) continue;
        throw base::Error("overwrite", file.string(),
                          "this file would be replaced, and no run.json there says that it is the result of a run; "
                          "name another --out, or --overwrite");
    }
}

void OutputFolder::refuse_inputs(std::span<const report::RunRecord::File> inputs,
                                 const std::filesystem::path& from) const {
    for (const report::RunRecord::File& input : inputs) {
        for (const std::filesystem::path& file : outputs()) {
            std::error_code missing;
            if (!std::filesystem::equivalent(from / input.path, file, missing)) continue;
            throw base::Error("overwrite", file.string(),
                              "the run reads this file (" + input.role + ") and would replace it; name another --out");
        }
    }
}

void OutputFolder::refuse_shared(const std::filesystem::path& file,
                                 std::span<const report::RunRecord::File> inputs) const {
    for (const std::filesystem::path& other : outputs())
        if (base::is_same_file(file, other))
            throw base::Error("overwrite", file.string(), "the run itself writes this file; name another");
    for (const report::RunRecord::File& input : inputs)
        if (base::is_same_file(file, input.path))
            throw base::Error("overwrite", file.string(),
                              "the run reads this file (" + input.role + ") and would replace it; name another");
}

void OutputFolder::clear() const {
    std::error_code ignored;
    for (const std::filesystem::path& file : outputs()) std::filesystem::remove(file, ignored);
}

}  // namespace master::runs
