#include "master/results/unwritten_rows.hpp"

#include "master/base/child_process.hpp"
#include "master/base/diagnostics.hpp"
#include "master/results/formats.hpp"
#include "master/results/hdf5_handle.hpp"
#include "master/results/result_file.hpp"
#include "tests/support/columns.hpp"
#include "tests/support/scratch.hpp"

#include <catch2/catch.hpp>
#include <csignal>
#include <hdf5.h>

using namespace master;
using tests::column;

namespace {

constexpr std::int64_t rows_recorded = 3000;

/// A value that tells its row.
core::Signals row(std::int64_t k) {
    core::Signals signals;
    signals.outputs.reals.assign(40, 0.0);
    for (std::size_t i = 0; i < signals.outputs.reals.size(); ++i)
        signals.outputs.reals[i] = static_cast<double>(k) + 0.01 * static_cast<double>(i);
    signals.outputs.integers = {k * 1'000'000'007};
    signals.outputs.strings = {"line " + std::to_string(k / 2) + "\nsecond \"line\""};
    return signals;
}

std::vector<results::Column> columns_for(const std::string& format) {
    std::vector<results::Column> columns{column("a.x"), column("a.n", core::Type::integer)};
    for (std::uint32_t i = 0; i < 40; ++i)
        columns.push_back(column("a.array[" + std::to_string(i + 1) + "]", core::Type::real, i));
    if (format != "mat") columns.push_back(column("a.text", core::Type::string));
    return columns;
}

/// Records so many rows in a process that is then killed.
void record_and_die(const std::string& format, const std::filesystem::path& folder, results::UnwrittenRows& rows,
                    std::int64_t count = rows_recorded) {
    base::ChildProcess process([&] {
        base::Diagnostics diagnostics;
        const auto tap = results::make_recorder(
            format, {.folder = folder, .columns = columns_for(format), .unwritten = &rows}, diagnostics);
        for (std::int64_t k = 0; k < count; ++k) tap->after_step({k * 1'000'000}, row(k));
        return std::raise(SIGKILL);
    });
    REQUIRE(process.wait(std::chrono::seconds(20)) == -1);
}

}  // namespace

TEST_CASE("the rows of a recorder that was killed outlive it in every format") {
    for (const std::string format : {"csv", "hdf5", "mat", "mcap"}) {
        CAPTURE(format);
        const tests::Scratch scratch;
        results::UnwrittenRows rows;
        record_and_die(format, scratch.folder(), rows);
        const auto partials = results::partial_results(scratch.folder());
        REQUIRE(partials.size() == 1);
        CHECK(rows.file() == partials.front());
        const auto result = results::complete_result(partials.front(), &rows);
        REQUIRE(result);
        CHECK(results::partial_results(scratch.folder()).empty());
        const results::Table table = results::read_result(*result);
        REQUIRE(table.time.size() == rows_recorded);
        CHECK(table.time.back() == 1e-3 * (rows_recorded - 1));
        for (const results::TableColumn& column : table.columns) {
            if (column.name == "a.x") CHECK(std::get<std::vector<double>>(column.values).back() == rows_recorded - 1);
            if (column.name == "a.array[40]")
                CHECK(std::get<std::vector<double>>(column.values).back() == row(rows_recorded - 1).outputs.reals[39]);
            if (column.name == "a.text")
                CHECK(std::get<std::vector<std::string>>(column.values).back() ==
                      row(rows_recorded - 1).outputs.strings.front());
        }
    }
}

TEST_CASE("without the memory of a killed recorder its file is brought to its last whole row") {
    for (const std::string format : {"csv", "hdf5", "mat", "mcap"}) {
        CAPTURE(format);
        const tests::Scratch scratch;
        {
            results::UnwrittenRows rows;
            // More than a buffer holds, so that some are in the file.
            record_and_die(format, scratch.folder(), rows, 5 * rows_recorded);
        }
        const auto partial = results::partial_results(scratch.folder()).front();
        if (format == "csv") std::filesystem::resize_file(partial, std::filesystem::file_size(partial) - 7);
        const auto result = results::complete_result(partial, nullptr);
        REQUIRE(result);
        const results::Table table = results::read_result(*result);
        REQUIRE(table.time.size() > 100);
        CHECK(table.time.size() < 5 * rows_recorded);
        CHECK(table.time.back() == Approx(1e-3 * static_cast<double>(table.time.size() - 1)));
        CHECK(std::get<std::vector<double>>(table.columns.front().values).back() ==
              static_cast<double>(table.time.size() - 1));
    }
}

TEST_CASE("an HDF5 file that was completed carries no mark of its writer") {
    const tests::Scratch scratch;
    results::UnwrittenRows rows;
    record_and_die("hdf5", scratch.folder(), rows, 10);
    const auto partial = results::partial_results(scratch.folder()).front();
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    CHECK(H5Fopen(partial.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT) < 0);
    const auto result = results::complete_result(partial, &rows);
    REQUIRE(result);
    const hid_t file = H5Fopen(result->c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    CHECK(file >= 0);
    H5Fclose(file);
}

TEST_CASE("a partial file that cannot be completed is left alone") {
    const tests::Scratch scratch;
    const auto file = scratch.write("results.partial.h5", "this is no HDF5");
    CHECK_FALSE(results::complete_result(file, nullptr));
    CHECK(tests::content_of(file) == "this is no HDF5");
    CHECK_FALSE(results::complete_result(scratch.write("other.partial.csv", "time\n"), nullptr));
    const auto empty = scratch.write("results.partial.csv", "");
    CHECK_FALSE(results::complete_result(empty, nullptr));
    CHECK_FALSE(std::filesystem::exists(empty));
}

TEST_CASE("a file that took the name of what a recorder wrote is neither completed nor named") {
    for (const std::string format : {"csv", "hdf5", "mat", "mcap"}) {
        CAPTURE(format);
        const tests::Scratch scratch;
        results::UnwrittenRows rows;
        record_and_die(format, scratch.folder(), rows);
        const auto partial = results::partial_results(scratch.folder()).front();
        const std::filesystem::path copy = scratch.folder() / "copy";
        std::filesystem::copy_file(partial, copy);
        const std::string before = tests::content_of(copy);
        std::filesystem::rename(copy, partial);
        CHECK_FALSE(results::complete_result(partial, &rows));
        CHECK(tests::content_of(partial) == before);
        CHECK_FALSE(std::filesystem::exists(scratch.folder() / results::file_name(format)));
    }
}

TEST_CASE("an HDF5 file that is being made is told from one that takes rows, one that is closed, and what is none") {
    const tests::Scratch scratch;
    const auto file = [&](char flags) {
        std::string bytes = "\x89HDF\r\n\x1a\n\x03\x08\x08";
        bytes += flags;
        return scratch.write("results.partial.h5", bytes + std::string(500, '\0'));
    };
    CHECK(results::is_closed_to_readers(file(1)));
    CHECK_FALSE(results::is_closed_to_readers(file(5)));
    CHECK_FALSE(results::is_closed_to_readers(file(0)));
    CHECK_FALSE(results::is_closed_to_readers(scratch.write("results.partial.h5", "this is no HDF5")));
    CHECK_FALSE(results::is_closed_to_readers(scratch.write("empty", "")));
    CHECK_FALSE(results::is_closed_to_readers("absent.h5"));
}
