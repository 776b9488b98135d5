#pragma once

#include "master/base/diagnostics.hpp"
#include "master/results/recorder.hpp"

#include <cstdint>
#include <memory>
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

/// About how large the result becomes; text and binary columns count as empty.
[[nodiscard]] std::uint64_t expected_bytes(const std::string& format, const std::vector<Column>& columns,
                                           std::uint64_t rows);

}  // namespace master::results
