#pragma once

#include "master/base/diagnostics.hpp"
#include "master/results/recorder.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace master::results {

/// Names of the formats a run can be recorded in.
[[nodiscard]] std::vector<std::string> formats();

/// The result file of a format, such as results.csv.
[[nodiscard]] std::string file_name(const std::string& format);

[[nodiscard]] bool can_hold(const std::string& format, const Column& column);

/// Opens a recorder. Columns that the format cannot hold are left out with a note; an unknown format is an error.
[[nodiscard]] std::unique_ptr<core::Tap> make_recorder(const std::string& format, Recording recording,
                                                       base::Diagnostics& diagnostics);

/// Brings results.partial.* of a recorder that died to its last whole row, with the rows that were waiting or, without
/// (null), to those that are there, and gives it its name. In a process of its own:
/// libraries trust files more than files of the dead deserve. Returns the result, or nothing where that failed, or
/// where the file is not the one that was written.
[[nodiscard]] std::optional<std::filesystem::path> complete_result(const std::filesystem::path& partial,
                                                                   const UnwrittenRows* rows);
/// Those of dead or running recorders in a folder.
[[nodiscard]] std::vector<std::filesystem::path> partial_results(const std::filesystem::path& folder);

/// About how large the result becomes; text and binary columns count as empty.
[[nodiscard]] std::uint64_t expected_bytes(const std::string& format, const std::vector<Column>& columns,
                                           std::uint64_t rows);

}  // namespace master::results
