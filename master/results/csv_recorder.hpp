#pragma once

#include "master/results/recorder.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace master::results {

/// Writes `results.csv`, which is `results.partial.csv` while it grows: a header row, then `time` and one value per
/// column, each the shortest text that reads back as the same number. Only whole rows reach the file.
[[nodiscard]] std::unique_ptr<core::Tap> make_csv(const Recording& recording);

/// Brings the file of a recorder that died to its last whole row: with the rows that were waiting, or, without, to the
/// last one that is there.
void complete_csv(const std::filesystem::path& file, const UnwrittenRows* rows);

/// Text as a CSV cell (RFC 4180); quoted also where a reader could mistake it for a number or trim it.
[[nodiscard]] std::string csv_cell(std::string_view text);

}  // namespace master::results
