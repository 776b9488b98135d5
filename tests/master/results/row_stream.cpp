#include "master/results/stream/row_stream.hpp"

#include "master/base/diagnostics.hpp"
#include "master/results/formats.hpp"
#include "master/results/stream/sketch.hpp"
#include "tests/support/columns.hpp"
#include "tests/support/scratch.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

using namespace master;
using tests::column;

TEST_CASE("rows of every format are streamed by name") {
    for (const std::string format : {"csv", "hdf5", "mat", "mcap"}) {
        CAPTURE(format);
        const tests::Scratch scratch;
        std::vector<results::Column> columns{column("a.x"), column("a.fixed", core::Type::real, 1),
                                             column("a.n", core::Type::integer)};
        columns[1].fixed = true;
        for (std::uint32_t i = 0; i < 20; ++i)
            columns.push_back(column("a.array[" + std::to_string(i + 1) + "]", core::Type::real, i));
        base::Diagnostics diagnostics;
        const auto tap = results::make_recorder(format, {.folder = scratch.folder(), .columns = columns}, diagnostics);
        core::Signals signals;
        signals.outputs.reals.assign(20, 0.5);
        for (std::int64_t k = 0; k < 5000; ++k) {
            signals.outputs.reals[0] = std::sin(0.001 * static_cast<double>(k));
            signals.outputs.integers = {k};
            tap->after_step({k * 1'000'000}, signals);
        }
        tap->finish();
        const std::vector<std::string> names{"a.n", "nowhere", "a.array[20]", "a.x", "a.fixed"};
        const results::Table table = results::read_columns(scratch.folder() / results::file_name(format), names);
        REQUIRE(table.time.size() == 5000);
        CHECK(table.time[4999] == 4.999);
        const auto at = [&](std::size_t column, std::size_t row) {
            return std::get<std::vector<double>>(table.columns[column].values)[row];
        };
        CHECK(at(0, 4321) == 4321);
        CHECK(std::isnan(at(1, 0)));
        CHECK(at(2, 4999) == 0.5);
        CHECK(at(3, 1234) == std::sin(0.001 * 1234.0));
        CHECK(at(4, 17) == 0.5);
    }
}

TEST_CASE("a sketch keeps every extreme, and all rows where there are few") {
    results::Sketch few(1);
    for (int k = 0; k < 100; ++k) few.add(k, std::vector<double>{std::cos(k)});
    CHECK(few.table().time.size() == 100);
    CHECK(std::get<std::vector<double>>(few.table().columns.front().values)[37] == std::cos(37));

    results::Sketch many(2);
    constexpr int rows = 1'000'000, spike = 777'777;
    for (int k = 0; k < rows; ++k) many.add(k, std::vector<double>{k == spike ? 9.0 : std::sin(0.01 * k), 4.0});
    const results::Table table = many.table();
    CHECK(table.time.size() <= 2 * results::Sketch::most_groups);
    CHECK(table.time.front() == 0);
    CHECK(std::ranges::is_sorted(table.time));
    CHECK(table.time.back() == rows - 1);
    const auto& values = std::get<std::vector<double>>(table.columns.front().values);
    const auto highest = std::ranges::max_element(values);
    CHECK(*highest == 9);
    CHECK(std::fabs(table.time[static_cast<std::size_t>(highest - values.begin())] - spike) < 300);
    CHECK(std::ranges::all_of(std::get<std::vector<double>>(table.columns.back().values),
                              [](double value) { return value == 4; }));
}
