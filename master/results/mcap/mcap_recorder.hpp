#pragma once

#include "master/results/recorder.hpp"

#include <filesystem>
#include <memory>

namespace master::results {

/// Writes `results.mcap`, which is `results.partial.mcap` while it grows: a recording that Foxglove, Lichtblick,
/// PlotJuggler and rerun open. One message per component and row, as interfaces/foxglove/rows.hpp describes it; poses
/// and clouds of the scene with each row. The channel of a component says in its metadata, under `columns`, which
/// column each value is. Times are those of the run; where it begins before 0, they count from its beginning, and only
/// the field `time` is as it was. Only whole rows reach the file, in chunks.
[[nodiscard]] std::unique_ptr<core::Tap> make_mcap(const Recording& recording);

/// Brings the file of a recorder that died to its last whole row, see `complete_csv`, and gives it its summary.
void complete_mcap(const std::filesystem::path& file, const UnwrittenRows* rows);

}  // namespace master::results
