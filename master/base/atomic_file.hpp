#pragma once

#include <filesystem>
#include <initializer_list>
#include <span>
#include <string_view>

namespace master::base {

/// Writes a whole file or leaves what was there: the text goes to a temporary file beside it, which then takes its
/// name. Makes missing folders; throws `Error` with exit code 1 when it cannot be written.
void write_atomically(const std::filesystem::path& file, std::string_view text);

/// For a file that the user names to be written: throws `Error` where one is there whose name has the ending of what
/// Tandem reads (a system, an FMU, a table), and not one of `own`.
void refuse_to_replace(const std::filesystem::path& file, std::initializer_list<std::string_view> own);

/// The same where it is one of the files that are read, by whatever name or link.
void refuse_to_replace_input(const std::filesystem::path& file, std::span<const std::filesystem::path> inputs);

/// A name beside `file` that nobody can guess, for what is not complete yet; to be opened as a new file only.
[[nodiscard]] std::filesystem::path draft_name(const std::filesystem::path& file);

}  // namespace master::base
