#pragma once

#include "master/results/table.hpp"

#include <filesystem>

namespace master::results {

/// Reads a result: .csv, .h5 as `make_hdf5` writes it (also while it grows, also of a killed run), .mat in the layout
/// that Dymola and OpenModelica write, or .mcap as `make_mcap` writes it. Throws `Error` for anything else.
[[nodiscard]] Table read_result(const std::filesystem::path& file);

[[nodiscard]] Table read_hdf5(const std::filesystem::path& file);
[[nodiscard]] Table read_mat(const std::filesystem::path& file);
[[nodiscard]] Table read_mcap(const std::filesystem::path& file);

}  // namespace master::results
