#pragma once

#include "master/results/table.hpp"

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace master::results {

/// Hands numbers of a result that this program recorded to `use`, row by row, in memory that does not grow with the
/// number of rows: the time, and one value for each of the names. What the file does not hold, or holds as text, is
/// NaN. Throws `Error` as `read_result` does.
void for_each_row(const std::filesystem::path& file, std::span<const std::string> names,
                  const std::function<void(double t, std::span<const double> values)>& use);

/// These columns of a result, all rows.
[[nodiscard]] Table read_columns(const std::filesystem::path& file, std::span<const std::string> names);

/// The same for a picture: where there are more rows than a few thousand, neighbouring ones are put together to two
/// that hold the lowest and the highest of their values, in the order in which those came.
[[nodiscard]] Table read_sketch(const std::filesystem::path& file, std::span<const std::string> names);

}  // namespace master::results
