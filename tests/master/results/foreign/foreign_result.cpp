#include "master/results/foreign/foreign_result.hpp"

#include "master/base/error.hpp"
#include "master/results/result_file.hpp"
#include "tests/support/scratch.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <hdf5.h>

using namespace master::results;

namespace {

Table sample() {
    Table table{.source = "x", .time = {0, 0.5, 1}};
    table.columns.push_back({"a", "m", std::vector<double>{1, -2.5, 3}});
    table.columns.push_back({"i", "", std::vector<std::int64_t>{1, -2, INT64_MAX}});
    table.columns.push_back({"n", "", std::vector<std::uint64_t>{1, 2, UINT64_MAX}});
    table.columns.push_back({"b", "", std::vector<std::uint8_t>{0, 1, 1}, true});
    table.columns.push_back({"d", "", std::vector<master::core::ByteString>{{}, {1, 2}, {0}}});
    table.columns.push_back({"s", "", std::vector<std::string>{"", "two", std::string("\0x", 2)}});
    return table;
}

std::string refusal(const std::filesystem::path& file, double seconds = 0) {
    try {
        (void)read_foreign_result(file, std::chrono::duration<double>(seconds));
    } catch (const master::base::Error& error) {
        CHECK(error.code() == "bad-result");
        CHECK(error.where() == file.string());
        return error.what();
    }
    return {};
}

/// A result of two columns, of whose rows nothing was written: they read as zeros.
std::filesystem::path unwritten(const tests::Scratch& scratch, hsize_t rows) {
    const std::filesystem::path path = scratch.folder() / "unwritten.h5";
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t group = H5Gcreate2(file, "signals", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const std::array<hsize_t, 2> extent{rows, 2}, chunk{1024, 2};
    const hid_t space = H5Screate_simple(2, extent.data(), nullptr);
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(creation, 2, chunk.data());
    H5Dclose(H5Dcreate2(group, "values", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    const std::array<hsize_t, 1> names{2};
    const hid_t line = H5Screate_simple(1, names.data(), nullptr);
    const hid_t text = H5Tcopy(H5T_C_S1);
    for (const char* name : {"names", "units"})
        H5Dclose(H5Dcreate2(group, name, text, line, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    for (const hid_t handle : {line, space}) H5Sclose(handle);
    H5Tclose(text);
    H5Pclose(creation);
    H5Gclose(group);
    H5Fclose(file);
    return path;
}

}  // namespace

TEST_CASE("a table passes between processes as it is, and nothing else does") {
    const Table table = sample();
    const std::string bytes = bytes_of(table);
    const Table again = table_from(bytes, "x");
    CHECK(again.time == table.time);
    REQUIRE(again.columns.size() == table.columns.size());
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        CHECK(again.columns[i].name == table.columns[i].name);
        CHECK(again.columns[i].unit == table.columns[i].unit);
        CHECK(again.columns[i].constant == table.columns[i].constant);
        CHECK(again.columns[i].values == table.columns[i].values);
    }
    for (std::size_t cut = 0; cut < bytes.size(); ++cut)
        CHECK_THROWS_AS(table_from(std::string_view(bytes).substr(0, cut), "x"), master::base::Error);
    CHECK_THROWS_AS(table_from(bytes + "x", "x"), master::base::Error);
    std::string huge = bytes;
    huge.replace(0, 8, 8, '\xff');
    CHECK_THROWS_AS(table_from(huge, "x"), master::base::Error);
}

TEST_CASE("a reader that takes too long or wants all memory is an error of the file") {
    const tests::Scratch scratch;
    CHECK(refusal(scratch.write("empty.h5", "")).find("cannot be opened as HDF5") != std::string::npos);
    CHECK(refusal(unwritten(scratch, 2000)).empty());
    // 512 MB take longer than a millisecond.
    const std::string late = refusal(unwritten(scratch, 1U << 25U), 1e-3);
    CHECK(late.find("does not come to an end within 0.001 s: the file is damaged") != std::string::npos);
    const std::string large = refusal(unwritten(scratch, 1ULL << 40U));
    CHECK(large.find("its values do not fit into memory: the file is damaged") != std::string::npos);
}
