#include "master/results/csv_recorder.hpp"

#include "master/base/error.hpp"
#include "master/results/table.hpp"
#include "tests/support/columns.hpp"
#include "tests/support/scratch.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using namespace master;
using tests::column;

namespace {

std::vector<results::Column> one_of_each() {
    std::vector<results::Column> columns{column("a.real"),
                                         column("a.count", core::Type::integer),
                                         column("a.natural", core::Type::natural),
                                         column("a.on", core::Type::boolean),
                                         column("a.text", core::Type::string),
                                         column("a.m[1,2]")};
    columns.back().signal.input = true;
    return columns;
}

core::Signals signals_of_each() {
    core::Signals signals;
    signals.outputs.reals = {0.1};
    signals.outputs.integers = {std::numeric_limits<std::int64_t>::min()};
    signals.outputs.naturals = {std::numeric_limits<std::uint64_t>::max()};
    signals.outputs.booleans = {1};
    signals.outputs.strings = {"say \"no\", twice"};
    signals.inputs.reals = {-1.0 / 3.0};
    return signals;
}

}  // namespace

TEST_CASE("a second header row holds the units, and is read back") {
    const tests::Scratch scratch;
    std::vector<results::Column> columns = one_of_each();
    columns[0].unit = "m/s";
    columns[5].unit = "kg,m";
    const auto tap = results::make_csv({.folder = scratch.folder(), .columns = columns, .unit_row = true});
    tap->after_step({0}, signals_of_each());
    tap->finish();
    const std::string text = tests::content_of(scratch.folder() / "results.csv");
    CHECK(text.find("\ns,m/s,\"\",\"\",\"\",\"\",\"kg,m\"\n0,") != std::string::npos);
    const results::Table table = results::read_csv(scratch.folder() / "results.csv");
    CHECK(table.time.size() == 1);
    CHECK(table.columns[0].unit == "m/s");
    CHECK(table.columns[5].unit == "kg,m");
    CHECK(std::get<std::vector<std::string>>(table.columns[4].values).front() == "say \"no\", twice");
}

TEST_CASE("a CSV row holds every type with full precision") {
    const tests::Scratch scratch;
    const auto tap = results::make_csv({.folder = scratch.folder(), .columns = one_of_each()});
    const core::Signals signals = signals_of_each();
    tap->after_step({0}, signals);
    tap->after_step({1'000'000}, signals);
    tap->finish();
    CHECK(tests::content_of(scratch.folder() / "results.csv") ==
          "time,a.real,a.count,a.natural,a.on,a.text,\"a.m[1,2]\"\n"
          "0,0.1,-9223372036854775808,18446744073709551615,1,\"say \"\"no\"\", twice\",-0.3333333333333333\n"
          "0.001,0.1,-9223372036854775808,18446744073709551615,1,\"say \"\"no\"\", twice\",-0.3333333333333333\n");
}

TEST_CASE("the recording interval is exact even where it is no whole number of ticks") {
    const tests::Scratch scratch;
    const auto tap = results::make_csv({.folder = scratch.folder(), .columns = {}, .interval = base::Fraction{1, 3}});
    const core::Signals signals;
    for (std::int64_t k = 0; k <= 10; ++k) tap->after_step({k * 100'000'000}, signals);
    tap->finish();
    CHECK(tests::content_of(scratch.folder() / "results.csv") == "time\n0\n0.4\n0.7\n1\n");
}

TEST_CASE("where a run ends is recorded, whatever the interval, and only once") {
    for (const auto& [interval, rows] : {std::pair(base::Fraction{3, 1}, "time,x\n0,0\n1,1\n"),
                                         std::pair(base::Fraction{3, 10}, "time,x\n0,0\n0.5,0.5\n1,1\n"),
                                         std::pair(base::Fraction{1, 2}, "time,x\n0,0\n0.5,0.5\n1,1\n")}) {
        const tests::Scratch scratch;
        const auto tap =
            results::make_csv({.folder = scratch.folder(), .columns = {column("x")}, .interval = interval});
        core::Signals signals;
        for (const double t : {0.0, 0.5, 1.0}) {
            signals.outputs.reals = {t};
            tap->after_step({static_cast<std::int64_t>(t * 1e9)}, signals);
        }
        tap->after_last_step({1'000'000'000}, signals);
        tap->finish();
        CHECK(tests::content_of(scratch.folder() / "results.csv") == rows);
    }
}

TEST_CASE("an interval of zero is refused") {
    const tests::Scratch scratch;
    CHECK_THROWS_AS(results::make_csv({.folder = scratch.folder(), .columns = {}, .interval = base::Fraction{0, 1}}),
                    base::Error);
}

TEST_CASE("a full disk ends the run with exit code 1 and names the file") {
    const tests::Scratch scratch;
    std::filesystem::create_symlink("/dev/full", scratch.folder() / "results.partial.csv");
    try {
        const auto tap = results::make_csv({.folder = scratch.folder(), .columns = {}});
        tap->after_step({0}, core::Signals{});
        tap->finish();
        FAIL("nothing was thrown");
    } catch (const base::Error& error) {
        CHECK(error.exit() == base::Exit::failed);
        CHECK(error.where() == (scratch.folder() / "results.partial.csv").string());
    }
}

TEST_CASE("a table is UTF-8, whatever a unit says") {
    const tests::Scratch scratch;
    base::Diagnostics diagnostics;
    const auto recorder = results::make_csv(
        {.folder = scratch.folder(), .columns = {column("s", core::Type::string)}, .diagnostics = &diagnostics});
    core::Signals signals;
    signals.outputs.strings = {"a\xff\"b"};
    recorder->after_step({}, signals);
    recorder->finish();
    REQUIRE(diagnostics.findings().size() == 1);
    CHECK(diagnostics.findings()[0].severity == base::Severity::warning);
    CHECK(diagnostics.findings()[0].code == "recorded-value");
    CHECK(diagnostics.findings()[0].text.starts_with("1 value of 's' held bytes that are no UTF-8"));
    CHECK(tests::content_of(scratch.folder() / "results.csv").find("\"a\xef\xbf\xbd\"\"b\"") != std::string::npos);
}

TEST_CASE("long strings do not overrun the block buffer") {
    const tests::Scratch scratch;
    const auto tap =
        results::make_csv({.folder = scratch.folder(), .columns = {column("s", core::Type::string), column("x")}});
    core::Signals signals;
    signals.outputs.strings = {std::string(1'000'000, '"')};
    signals.outputs.reals = {-1.7976931348623157e308};
    tap->after_step({0}, signals);
    tap->finish();
    CHECK(tests::content_of(scratch.folder() / "results.csv") ==
          "time,s,x\n0,\"" + std::string(2'000'000, '"') + "\",-1.7976931348623157e+308\n");
}
