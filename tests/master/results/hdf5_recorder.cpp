#include "master/results/hdf5_recorder.hpp"

#include "master/base/error.hpp"
#include "master/results/hdf5_handle.hpp"
#include "master/results/result_file.hpp"
#include "tests/support/columns.hpp"
#include "tests/support/scratch.hpp"

#include <catch2/catch.hpp>
#include <csignal>
#include <functional>
#include <hdf5.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace master;
using tests::column;

namespace {

constexpr std::int64_t millisecond = 1'000'000;

std::vector<results::Column> mixed_columns() {
    std::vector<results::Column> columns{column("a.x"),
                                         column("a.n", core::Type::integer),
                                         column("a.u", core::Type::natural),
                                         column("a.on", core::Type::boolean),
                                         column("a.s/t", core::Type::string),
                                         column("a.frame", core::Type::bytes)};
    columns.front().unit = "m";
    for (std::uint32_t i = 0; i < 20; ++i)
        columns.push_back(column("a.v[" + std::to_string(i + 1) + "]", core::Type::real, i + 1));
    return columns;
}

/// Runs `work` in a child process and returns how it ended.
int in_child(const std::function<void()>& work) {
    const pid_t child = ::fork();
    if (child == 0) {
        work();
        ::_exit(7);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
}

}  // namespace

TEST_CASE("every type is read back from HDF5 as it was recorded") {
    const tests::Scratch scratch;
    const auto tap = results::make_hdf5({.folder = scratch.folder(), .columns = mixed_columns()});
    constexpr int rows = 2500;  // more than two blocks
    core::Signals signals;
    signals.outputs.reals.resize(21);
    signals.outputs.integers.resize(1);
    signals.outputs.naturals.resize(1);
    signals.outputs.booleans.resize(1);
    signals.outputs.strings.resize(1);
    signals.outputs.bytes.resize(1);
    std::vector<std::uint8_t> frame;
    for (int i = 0; i < rows; ++i) {
        signals.outputs.reals[0] = i / 3.0;
        signals.outputs.reals[20] = -i;
        signals.outputs.integers[0] = -9007199254740993 - i;
        signals.outputs.naturals[0] = 18446744073709551615ULL - static_cast<std::uint64_t>(i);
        signals.outputs.booleans[0] = i % 2;
        signals.outputs.strings[0] = "row " + std::to_string(i / 100);
        frame.assign(static_cast<std::size_t>(i / 500) * 50'000, static_cast<std::uint8_t>(i / 500));
        signals.outputs.bytes[0] = {frame.data(), frame.size()};
        tap->after_step({i * millisecond}, signals);
    }
    tap->finish();

    const results::Table table = results::read_result(scratch.folder() / "results.h5");
    REQUIRE(table.time.size() == rows);
    CHECK(table.time[2001] == 2.001);
    CHECK(table.find("a.x")->unit == "m");
    CHECK(std::get<std::vector<double>>(table.find("a.x")->values)[2499] == 2499 / 3.0);
    CHECK(std::get<std::vector<std::int64_t>>(table.find("a.n")->values)[2] == -9007199254740995);
    CHECK(std::get<std::vector<std::uint64_t>>(table.find("a.u")->values)[1] == 18446744073709551614ULL);
    CHECK(std::get<std::vector<double>>(table.find("a.on")->values)[3] == 1);
    CHECK(std::get<std::vector<std::string>>(table.find("a.s/t")->values)[1234] == "row 12");
    CHECK(std::get<std::vector<core::ByteString>>(table.find("a.frame")->values)[2499] == core::ByteString(200'000, 4));
    CHECK(std::get<std::vector<core::ByteString>>(table.find("a.frame")->values)[0].empty());
    CHECK(std::get<std::vector<double>>(table.find("a.v[20]")->values)[2400] == -2400);
}

TEST_CASE("frames of every event are kept, repeated ones too, but each once per instant") {
    const tests::Scratch scratch;
    const auto tap = results::make_hdf5({.folder = scratch.folder(), .columns = {column("frame", core::Type::bytes)}});
    const std::vector<std::uint8_t> frame{1, 2, 3};
    core::Signals signals;
    signals.outputs.bytes = {{frame.data(), frame.size()}};
    tap->on_event({1}, signals);
    tap->on_event({1}, signals);
    tap->on_event({2}, signals);
    tap->after_step({2}, signals);
    tap->finish();
    const results::Hdf5Handle file(H5Fopen((scratch.folder() / "results.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
    const results::Hdf5Handle dataset(H5Dopen2(file.get(), "streams/frame/data", H5P_DEFAULT));
    const results::Hdf5Handle space(H5Dget_space(dataset.get()));
    CHECK(H5Sget_simple_extent_npoints(space.get()) == 6);
}

TEST_CASE("a killed run's HDF5 file can be read up to the last flush") {
    const tests::Scratch scratch;
    const int status = in_child([&] {
        const auto tap = results::make_hdf5({.folder = scratch.folder(), .columns = {column("x")}});
        core::Signals signals;
        signals.outputs.reals = {0};
        const auto start = std::chrono::steady_clock::now();
        for (std::int64_t i = 0; std::chrono::steady_clock::now() - start < 1.5 * results::flush_period; ++i) {
            signals.outputs.reals[0] = 2.0 * static_cast<double>(i);
            tap->after_step({i * millisecond}, signals);
            ::usleep(100);
        }
        ::raise(SIGKILL);
    });
    REQUIRE(WIFSIGNALED(status));
    const results::Table table = results::read_result(scratch.folder() / "results.partial.h5");
    REQUIRE(table.time.size() > 100);
    const auto& values = std::get<std::vector<double>>(table.find("x")->values);
    bool whole = true;
    for (std::size_t i = 0; i < table.time.size(); ++i)
        whole = whole && values[i] == 2.0 * static_cast<double>(i) && table.time[i] == static_cast<double>(i) / 1000;
    CHECK(whole);
}

TEST_CASE("a full disk ends an HDF5 recording with exit code 1 and its cause, and the file is whole") {
    const tests::Scratch scratch;
    const int status = in_child([&] {
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{1 << 20, 1 << 20};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        try {
            const auto tap = results::make_hdf5({.folder = scratch.folder(), .columns = {column("x")}});
            core::Signals signals;
            signals.outputs.reals = {0};
            for (std::int64_t i = 0; i < 1'000'000; ++i) tap->after_step({i}, signals);
            tap->finish();
        } catch (const base::Error& error) {
            const bool right =
                error.exit() == base::Exit::failed && std::string(error.what()).ends_with("File too large");
            ::_exit(right ? 0 : 1);
        }
    });
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(results::read_result(scratch.folder() / "results.h5").time.size() > 10'000);
}

TEST_CASE("where an HDF5 file cannot grow any more, its texts and its numbers end with the same row") {
    // Texts that wait, and texts that go straight to the file.
    for (const std::size_t length : {std::size_t{8}, std::size_t{90'000}}) {
        CAPTURE(length);
        const tests::Scratch scratch;
        const int status = in_child([&] {
            std::signal(SIGXFSZ, SIG_IGN);
            const rlimit limit{2 << 20, 2 << 20};
            ::setrlimit(RLIMIT_FSIZE, &limit);
            try {
                const auto tap = results::make_hdf5(
                    {.folder = scratch.folder(),
                     .columns = {column("x"), column("s", core::Type::string), column("t", core::Type::string, 1)}});
                core::Signals signals;
                signals.outputs.reals = {0};
                signals.outputs.strings.resize(2);
                for (std::int64_t i = 0; i < 1'000'000; ++i) {
                    signals.outputs.reals[0] = static_cast<double>(i);
                    signals.outputs.strings[0] = std::to_string(i);
                    signals.outputs.strings[1] = std::to_string(i) + std::string(length, '.');
                    tap->after_step({i * millisecond}, signals);
                }
                tap->finish();
            } catch (const base::Error& error) {
                ::_exit(std::string(error.what()).ends_with("File too large") ? 0 : 1);
            }
        });
        CHECK(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == 0);
        const results::Table table = results::read_result(scratch.folder() / "results.h5");
        const std::size_t rows = table.time.size();
        CHECK(rows > (length > 1000 ? 10 : 10'000));
        CHECK(std::get<std::vector<double>>(table.find("x")->values).back() == static_cast<double>(rows - 1));
        for (const char* name : {"s", "t"}) {
            const std::string last = std::get<std::vector<std::string>>(table.find(name)->values).back();
            CHECK(last.substr(0, last.find('.')) == std::to_string(rows - 1));
        }
        // No value is there that belongs to a row that is not.
        const hid_t file = H5Fopen((scratch.folder() / "results.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
        for (const char* name : {"streams/s/time", "streams/t/time"}) {
            const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
            const hid_t space = H5Dget_space(dataset);
            CHECK(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)) == rows);
            H5Sclose(space);
            H5Dclose(dataset);
        }
        H5Fclose(file);
    }
}

TEST_CASE("a file that is no recorded HDF5 result is refused by name") {
    const tests::Scratch scratch;
    const auto path = scratch.write("x.h5", "not HDF5");
    CHECK_THROWS_AS(results::read_result(path), base::Error);
    CHECK_THROWS_AS(results::read_result(scratch.folder() / "missing.h5"), base::Error);
    CHECK_THROWS_AS(results::read_result(scratch.write("x.txt", "")), base::Error);
}
