#include "master/results/formats.hpp"

#include "master/base/error.hpp"
#include "tests/support/columns.hpp"
#include "tests/support/scratch.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <new>

using namespace master;
using tests::column;

namespace {
std::size_t allocations = 0;
}

void* operator new(std::size_t size) {
    ++allocations;
    if (void* memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    ++allocations;
    return std::malloc(size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

TEST_CASE("an unknown format is refused with the list and the closest name") {
    base::Diagnostics diagnostics;
    try {
        (void)results::make_recorder("hdf", {.folder = "/nowhere"}, diagnostics);
        FAIL("nothing was thrown");
    } catch (const base::Error& error) {
        CHECK(std::string(error.what()) ==
              "unknown format 'hdf', expected one of csv, hdf5, mat, mcap, closest match 'hdf5'");
        CHECK(error.exit() == base::Exit::bad_input);
    }
}

TEST_CASE("columns that a format cannot hold are left out with a note") {
    const tests::Scratch scratch;
    base::Diagnostics diagnostics;
    results::make_recorder("csv",
                           {.folder = scratch.folder(),
                            .columns = {column("a.cloud[1,1]", core::Type::bytes),
                                        column("a.cloud[1,2]", core::Type::bytes, 1), column("a.x")}},
                           diagnostics)
        ->finish();
    CHECK(tests::content_of(scratch.folder() / "results.csv") == "time,a.x\n");
    REQUIRE(diagnostics.findings().size() == 1);  // not one per element
    CHECK(diagnostics.findings().front().where == "a.cloud");
}

TEST_CASE("recording a row allocates nothing, and the expected size is about right") {
    for (const std::string& format : results::formats()) {
        const tests::Scratch scratch;
        std::vector<results::Column> columns;
        for (std::uint32_t i = 0; i < 30; ++i) columns.push_back(column("x" + std::to_string(i), core::Type::real, i));
        columns.push_back(column("n", core::Type::integer));
        core::Signals signals;
        signals.outputs.reals.resize(30);
        signals.outputs.integers = {5};
        base::Diagnostics diagnostics;
        const auto tap = results::make_recorder(format, {.folder = scratch.folder(), .columns = columns}, diagnostics);
        tap->after_step({0}, signals);
        const std::size_t before = allocations;
        constexpr std::int64_t rows = 10'000;
        for (std::int64_t k = 1; k < rows; ++k) {
            for (double& x : signals.outputs.reals) x = std::sin(static_cast<double>(k) + x);
            tap->after_step({k * 1'000'000}, signals);
        }
        CHECK(allocations == before);
        tap->finish();
        const auto size =
            static_cast<double>(std::filesystem::file_size(scratch.folder() / results::file_name(format)));
        const auto expected = static_cast<double>(results::expected_bytes(format, columns, rows));
        INFO(format << " " << size << " " << expected);
        CHECK(std::abs(size / expected - 1) < 0.2);
    }
}
