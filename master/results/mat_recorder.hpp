#pragma once

#include "master/base/block_file.hpp"
#include "master/results/recorder.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace master::results {

/// Writes `results.mat` as Dymola and OpenModelica do: MAT version 4 with the matrices Aclass, name, description,
/// dataInfo, data_1 (parameters and constants) and data_2 (trajectories, one column per row of time: "binTrans"). Every
/// number is a double; text and binary columns must not be asked for. The file is complete after each flush.
[[nodiscard]] std::unique_ptr<core::Tap> make_mat(const Recording& recording);

/// Where a matrix lies. Level 4 files are matrices one after the other, each with a header: type, rows, columns,
/// whether it is complex, length of the name.
struct MatPlace {
    std::uint64_t header = 0, data = 0;
    std::uint64_t rows = 0, columns = 0;
    std::uint64_t element = 8;  // bytes
};
[[nodiscard]] std::optional<MatPlace> find_matrix(const base::BlockFile& file, std::string_view name);

/// Where the trajectories lie.
struct MatRows {
    std::uint64_t last_time_of_constants = 0;
    std::uint64_t length = 0;  // where the number of rows of time stands
    std::uint64_t begin = 0;   // of the first
    std::uint64_t row_bytes = 0;
    std::uint64_t count = 0;  // as it stands there
};
[[nodiscard]] std::optional<MatRows> find_rows(const base::BlockFile& file);

/// Brings the file of a recorder that died to its last whole row, see `complete_csv`. Throws `Error` where it has none.
void complete_mat(const std::filesystem::path& file, const UnwrittenRows* rows);

}  // namespace master::results
