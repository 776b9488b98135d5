#pragma once

#include "master/results/table.hpp"

#include <chrono>
#include <filesystem>

namespace master::results {

/// `read_result` for a file that anybody may have written. Libraries that read HDF5 and MAT crash on, or never return
/// from, files that are damaged in the right place: they read it in a process of its own, within this time (by default
/// 10 s and a second for every 5 MB) and bounded memory. `Error` when it dies or takes longer.
[[nodiscard]] Table read_foreign_result(const std::filesystem::path& file,
                                        std::chrono::duration<double> longest = std::chrono::seconds(0));

/// What passes between the two processes, and reads back as the same table; `Error` for anything else, since the
/// process that wrote it may have lost its mind.
[[nodiscard]] std::string bytes_of(const Table& table);
[[nodiscard]] Table table_from(std::string_view bytes, const std::string& source);

}  // namespace master::results
