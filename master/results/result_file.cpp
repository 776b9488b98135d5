#include "master/results/result_file.hpp"

#include "master/base/error.hpp"

namespace master::results {

Table read_result(const std::filesystem::path& file) {
    if (!std::filesystem::is_regular_file(file))
        throw base::Error("missing-file", file.string(),
                          "there is no such file, expected a result (.csv, .h5, .mat or .mcap)");
    const std::string extension = file.extension().string();
    if (extension == ".csv") return read_csv(file);
    if (extension == ".h5" || extension == ".hdf5") return read_hdf5(file);
    if (extension == ".mat") return read_mat(file);
    if (extension == ".mcap") return read_mcap(file);
    throw base::Error(
        "bad-result", file.string(),
        "found a file that ends in '" + extension + "', expected a result that ends in .csv, .h5, .mat or .mcap");
}

}  // namespace master::results
