#pragma once

#include "master/base/temporary_folder.hpp"

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

namespace master::base {

/// Writes a whole file or leaves what was there: the text goes to a temporary file beside it, which then takes its
/// name. A special file is written as it is. Makes missing folders; throws `Error` with exit code 1 when it cannot be
/// written.
void write_atomically(const std::filesystem::path& file, std::string_view text);

/// A file that a library writes, under a name of its own until it is whole; it vanishes where it does not come so far.
class Draft {
public:
    explicit Draft(std::filesystem::path file);
    ~Draft();
    Draft(const Draft&) = delete;
    Draft& operator=(const Draft&) = delete;

    /// To be opened as a new file only.
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    /// It is whole: takes the name of the file, or is copied into a special one. Throws `Error` with exit code 1.
    void finish() const;

private:
    std::filesystem::path file_;
    std::optional<TemporaryFolder> apart_;  // the folder of a device is no place for drafts
    std::filesystem::path path_;
};

/// True for a device, a pipe or a folder: what is there, and would be gone if a regular file took its name.
[[nodiscard]] bool is_special(const std::filesystem::path& file);

/// True where both names lead to one file, by whatever link, also to one that is not there yet.
[[nodiscard]] bool is_same_file(const std::filesystem::path& one, const std::filesystem::path& other);

/// For a file that the user names to be written: throws `Error` where one is there whose name has the ending of what
/// Tandem reads (a system, an FMU, a table), and not one of `own`.
void refuse_to_replace(const std::filesystem::path& file, std::initializer_list<std::string_view> own);

/// The same where it is one of the files that are read, by whatever name or link.
void refuse_to_replace_input(const std::filesystem::path& file, std::span<const std::filesystem::path> inputs);

/// A name beside `file` that nobody can guess, for what is not complete yet; to be opened as a new file only.
[[nodiscard]] std::filesystem::path draft_name(const std::filesystem::path& file);

}  // namespace master::base
