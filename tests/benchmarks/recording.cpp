// Rows per second of the recorders with 100 columns, against the barest loop that writes the same bytes: std::to_chars
// into a buffer for CSV, one H5Dwrite per 1024 rows for HDF5. Only the ratios decide: exit code 1 below 0.5.

#include "master/base/diagnostics.hpp"
#include "master/results/formats.hpp"
#include "master/results/hdf5_handle.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <hdf5.h>
#include <random>
#include <stdlib.h>
#include <unistd.h>
#include <vector>

namespace {

constexpr std::size_t columns = 100;
constexpr std::size_t block = 1024;
constexpr double least_ratio = 0.5;
constexpr int repetitions = 5;

/// A few hundred rows of values as they occur, so that no loop profits from the cache of one row.
std::vector<master::core::Signals> sample() {
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal(0, 1000);
    std::vector<master::core::Signals> rows(256);
    for (master::core::Signals& row : rows) {
        row.outputs.reals.resize(columns);
        for (double& value : row.outputs.reals) value = normal(random);
    }
    return rows;
}

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Best rows per second of CPU time.
double rate(std::size_t rows, const std::function<void(std::size_t)>& write) {
    double best = 0;
    for (int i = 0; i < repetitions; ++i) {
        const double start = cpu_seconds();
        write(rows);
        best = std::max(best, static_cast<double>(rows) / (cpu_seconds() - start));
    }
    return best;
}

void recorder(const std::string& format, const std::filesystem::path& folder,
              const std::vector<master::core::Signals>& signals, std::size_t rows) {
    master::results::Recording recording{.folder = folder};
    for (std::uint32_t i = 0; i < columns; ++i) {
        master::results::Column column;
        column.name = "unit.value" + std::to_string(i);
        column.signal.index = i;
        recording.columns.push_back(column);
    }
    master::base::Diagnostics diagnostics;
    const auto tap = master::results::make_recorder(format, recording, diagnostics);
    for (std::size_t k = 0; k < rows; ++k)
        tap->after_step({static_cast<std::int64_t>(k) * 1'000'000}, signals[k % signals.size()]);
    tap->finish();
}

void raw_csv(const std::filesystem::path& folder, const std::vector<master::core::Signals>& signals, std::size_t rows) {
    const int file = ::open((folder / "raw.csv").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    std::vector<char> buffer(1 << 18);
    char* const end = buffer.data() + buffer.size();
    char* out = buffer.data();
    const auto drain = [&] {
        if (::write(file, buffer.data(), static_cast<std::size_t>(out - buffer.data())) < 0) std::abort();
        out = buffer.data();
    };
    for (std::size_t k = 0; k < rows; ++k) {
        if (end - out < 32 * static_cast<std::ptrdiff_t>(columns + 1)) drain();
        out = std::to_chars(out, end, static_cast<double>(k) / 1000).ptr;
        for (const double value : signals[k % signals.size()].outputs.reals) {
            *out++ = ',';
            out = std::to_chars(out, end, value).ptr;
        }
        *out++ = '\n';
    }
    drain();
    ::close(file);
}

void raw_hdf5(const std::filesystem::path& folder, const std::vector<master::core::Signals>& signals,
              std::size_t rows) {
    using master::results::Hdf5Handle;
    const Hdf5Handle file(H5Fcreate((folder / "raw.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hsize_t width = columns + 1;
    const hsize_t empty[] = {0, width}, most[] = {H5S_UNLIMITED, width}, chunk[] = {block, width};
    const Hdf5Handle space(H5Screate_simple(2, empty, most));
    const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE));
    H5Pset_chunk(creation.get(), 2, chunk);
    const Hdf5Handle dataset(
        H5Dcreate2(file.get(), "values", H5T_NATIVE_DOUBLE, space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT));
    const Hdf5Handle memory(H5Screate_simple(2, chunk, nullptr));
    std::vector<double> buffer(block * width);
    for (hsize_t first = 0; first < rows; first += block) {
        double* out = buffer.data();
        for (std::size_t k = first; k < first + block; ++k) {
            *out++ = static_cast<double>(k) / 1000;
            out = std::ranges::copy(signals[k % signals.size()].outputs.reals, out).out;
        }
        const hsize_t extent[] = {first + block, width}, start[] = {first, 0};
        H5Dset_extent(dataset.get(), extent);
        const Hdf5Handle target(H5Dget_space(dataset.get()));
        H5Sselect_hyperslab(target.get(), H5S_SELECT_SET, start, nullptr, chunk, nullptr);
        H5Dwrite(dataset.get(), H5T_NATIVE_DOUBLE, memory.get(), target.get(), H5P_DEFAULT, buffer.data());
    }
}

}  // namespace

int main() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tandem-recording-XXXXXX").string();
    const std::filesystem::path folder = ::mkdtemp(pattern.data());
    const std::vector<master::core::Signals> signals = sample();
    constexpr std::size_t csv_rows = 16 * block;
    constexpr std::size_t hdf5_rows = 64 * block;
    struct Line {
        const char* name;
        double ours, raw;
    };
    const Line lines[] = {
        {"csv", rate(csv_rows, [&](std::size_t rows) { recorder("csv", folder, signals, rows); }),
         rate(csv_rows, [&](std::size_t rows) { raw_csv(folder, signals, rows); })},
        {"hdf5", rate(hdf5_rows, [&](std::size_t rows) { recorder("hdf5", folder, signals, rows); }),
         rate(hdf5_rows, [&](std::size_t rows) { raw_hdf5(folder, signals, rows); })},
    };
    std::filesystem::remove_all(folder);
    bool good = true;
    std::printf("recording %zu columns of random doubles, rows per second of CPU time\n", columns);
    std::printf("%-8s %12s %12s %8s\n", "format", "recorder", "raw loop", "ratio");
    for (const Line& line : lines) {
        std::printf("%-8s %12.0f %12.0f %8.2f\n", line.name, line.ours, line.raw, line.ours / line.raw);
        good = good && line.ours >= least_ratio * line.raw;
    }
    return good ? 0 : 1;
}
