#include "master/results/mat_recorder.hpp"

#include "master/base/error.hpp"
#include "master/results/result_file.hpp"
#include "tests/support/columns.hpp"
#include "tests/support/scratch.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace master;
using tests::column;

namespace {

std::vector<results::Column> some_columns() {
    std::vector<results::Column> columns{column("tank.level"), column("tank.area"),
                                         column("valve.open", core::Type::boolean),
                                         column("valve.count", core::Type::integer)};
    columns[0].unit = "m";
    columns[0].description = "height of the liquid";
    columns[1].fixed = true;
    columns[1].signal.index = 1;
    columns[1].unit = "m2";
    return columns;
}

core::Signals some_signals() {
    core::Signals signals;
    signals.outputs.reals = {0.5, 0.1};
    signals.outputs.booleans = {1};
    signals.outputs.integers = {-3};
    return signals;
}

}  // namespace

TEST_CASE("a MAT result is read back as it was recorded") {
    const tests::Scratch scratch;
    const auto tap = results::make_mat({.folder = scratch.folder(), .columns = some_columns()});
    core::Signals signals = some_signals();
    constexpr int rows = 20'000;  // more than two blocks
    for (std::int64_t i = 0; i < rows; ++i) {
        signals.outputs.reals[0] = static_cast<double>(i) / 7.0;
        tap->after_step({i * 1'000'000}, signals);
    }
    tap->finish();
    const results::Table table = results::read_result(scratch.folder() / "results.mat");
    REQUIRE(table.time.size() == rows);
    CHECK(table.time[19'999] == 19.999);
    CHECK(table.names() == std::vector<std::string>{"tank.level", "tank.area", "valve.open", "valve.count"});
    CHECK(table.columns[0].unit == "m");
    CHECK(std::get<std::vector<double>>(table.columns[0].values)[12'345] == 12'345 / 7.0);
    CHECK(std::get<std::vector<double>>(table.columns[1].values)[12'345] == 0.1);
    CHECK(std::get<std::vector<double>>(table.columns[2].values)[0] == 1);
    CHECK(std::get<std::vector<double>>(table.columns[3].values)[0] == -3);
}

TEST_CASE("a MAT result holds the parameters of the run, and the units to show") {
    const tests::Scratch scratch;
    std::vector<results::Column> columns = some_columns();
    columns[0].shown = {"mm", 1e3, 0};
    const auto tap =
        results::make_mat({.folder = scratch.folder(),
                           .columns = columns,
                           .constants = {{"tank.rho", "kg/m3", "density", 870}, {"tank.area", "m2", "", 9}}});
    for (std::int64_t i = 0; i < 3; ++i) tap->after_step({i * 1'000'000}, some_signals());
    tap->finish();
    const results::Table table = results::read_result(scratch.folder() / "results.mat");
    CHECK(table.names() ==
          std::vector<std::string>{"tank.level", "tank.area", "valve.open", "valve.count", "tank.rho"});
    CHECK(table.columns[0].unit == "m");
    CHECK(table.columns[4].unit == "kg/m3");
    CHECK(std::get<std::vector<double>>(table.columns[4].values) == std::vector<double>{870, 870, 870});
    CHECK(std::get<std::vector<double>>(table.columns[1].values)[0] == 0.1);  // recorded: it wins
    CHECK(tests::content_of(scratch.folder() / "results.mat").find("height of the liquid [m|mm]") != std::string::npos);
}

TEST_CASE("integers that a MAT result rounds are told once, with their number") {
    const tests::Scratch scratch;
    base::Diagnostics diagnostics;
    const auto tap = results::make_mat({.folder = scratch.folder(),
                                        .columns = {column("n", core::Type::integer), column("m", core::Type::natural)},
                                        .constants = {{.name = "k", .value = 0x1p63, .rounded = true}},
                                        .diagnostics = &diagnostics});
    core::Signals signals;
    signals.outputs.naturals = {std::uint64_t{1} << 63U};  // exact, as every power of two
    for (const std::int64_t value : {std::int64_t{3}, (std::int64_t{1} << 53U) + 1, INT64_MAX, INT64_MIN}) {
        signals.outputs.integers = {value};
        tap->after_step({}, signals);
    }
    CHECK(diagnostics.findings().empty());
    tap->finish();
    REQUIRE(diagnostics.findings().size() == 1);
    CHECK(diagnostics.findings()[0].severity == base::Severity::warning);
    CHECK(diagnostics.findings()[0].text ==
          "3 values of 'n', 'k' lie beyond 2^53 and were rounded to doubles; --format hdf5 or csv keeps them");
}

TEST_CASE("a MAT result begins with the matrices its readers expect, byte for byte") {
    const tests::Scratch scratch;
    const auto tap = results::make_mat({.folder = scratch.folder(), .columns = {column("x")}});
    core::Signals signals;
    signals.outputs.reals = {2.5};
    tap->after_step({0}, signals);
    tap->finish();
    const std::string content = tests::content_of(scratch.folder() / "results.mat");
    const std::string header("\x33\0\0\0\x04\0\0\0\x0b\0\0\0\0\0\0\0\x07\0\0\0Aclass\0", 27);
    CHECK(content.substr(0, 27) == header);
    CHECK(content.substr(27, 8) == std::string("A1\0bt.\0i", 8));
    const std::string data("\0\0\0\0\x02\0\0\0\x01\0\0\0\0\0\0\0\x07\0\0\0data_2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x04\x40",
                           43);
    CHECK(content.ends_with(data));
}

TEST_CASE("a run without a single row leaves a readable MAT file") {
    const tests::Scratch scratch;
    results::make_mat({.folder = scratch.folder(), .columns = some_columns()})->finish();
    const results::Table table = results::read_result(scratch.folder() / "results.mat");
    CHECK(table.time.empty());
    CHECK(table.columns.size() == 4);
}

TEST_CASE("a MAT file of another kind is refused") {
    const tests::Scratch scratch;
    CHECK_THROWS_AS(results::read_result(scratch.write("x.mat", "no matrix at all")), base::Error);
    const auto tap = results::make_mat({.folder = scratch.folder(), .columns = some_columns()});
    tap->after_step({0}, some_signals());
    tap->finish();
    const std::string content = tests::content_of(scratch.folder() / "results.mat");
    for (std::size_t length = 0; length < content.size(); length += 13) {
        const auto cut = scratch.write("cut.mat", content.substr(0, length));
        CHECK_THROWS_AS(results::read_result(cut), base::Error);
    }
}
