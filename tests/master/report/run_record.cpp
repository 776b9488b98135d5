#include "master/report/run_record.hpp"

#include "master/base/error.hpp"
#include "tests/support/scratch.hpp"

#include <catch2/catch.hpp>

using namespace master;

namespace {

report::RunRecord some_record(const tests::Scratch& scratch) {
    report::RunRecord record;
    record.version = TANDEM_VERSION;
    record.folder = scratch.folder().string();
    record.arguments = {"run", "two mass", "--stop=2"};
    record.options = {{"stop", "2"}, {"threads", 1}};
    record.inputs = {report::hashed("system", scratch.write("system.ssd", "<xml/>"))};
    record.inputs.front().path = "system.ssd";
    record.parameters = {
        {"left.mass", report::json_of(core::Value(std::vector<double>{0.1})), "kg", "values.ssv:12"},
        {"left.name", report::json_of(core::Value(std::vector<std::string>{"a", "b"})), "", "modelDescription"},
        {"left.key", report::json_of(core::Value(std::vector<core::ByteString>{{0, 255}})), "", "--set"}};
    record.environment = report::this_environment();
    record.outcome = {{"exit", 0}, {"reached", 2.0}};
    return record;
}

}  // namespace

TEST_CASE("a run record reads back as it was written, and equal runs have equal records") {
    const tests::Scratch scratch;
    const report::RunRecord record = some_record(scratch);
    const auto file = scratch.folder() / "out" / "run.json";
    report::write_run_record(file, record);
    const std::string first = tests::content_of(file);
    const report::RunRecord again = report::read_run_record(file);
    CHECK(again.arguments == record.arguments);
    CHECK(again.inputs.front().sha256.size() == 64);
    CHECK(again.parameters[0].value.number() == 0.1);
    CHECK(again.parameters[1].value.array()->size() == 2);
    CHECK(*again.parameters[2].value.string() == "00ff");
    CHECK(again.parameters[0].origin == "values.ssv:12");
    CHECK(again.environment == record.environment);
    report::write_run_record(file, again);
    CHECK(tests::content_of(file) == first);
    CHECK(report::changes_since(again).empty());
}

TEST_CASE("this machine's environment is known") {
    const report::Environment environment = report::this_environment();
    CHECK_FALSE(environment.cpu_features.empty());
    CHECK(environment.c_library.starts_with("glibc 2."));
    CHECK_FALSE(environment.kernel.empty());
    CHECK(environment.libraries.size() == 6);
}

TEST_CASE("changed inputs and another environment are named") {
    const tests::Scratch scratch;
    report::RunRecord record = some_record(scratch);
    scratch.write("system.ssd", "<other/>");
    record.inputs.push_back({"fmu", "gone.fmu", "00"});
    record.environment.c_library = "glibc 1.0";
    record.version = "0.0.0";
    const std::vector<std::string> changes = report::changes_since(record);
    REQUIRE(changes.size() == 4);
    CHECK(changes[0] == "system 'system.ssd' has changed");
    CHECK(changes[1] == "fmu 'gone.fmu' is no longer there");
    CHECK(changes[2] == "program version: '0.0.0' then, '" TANDEM_VERSION "' now");
    CHECK(changes[3].starts_with("C library: 'glibc 1.0' then"));
}

TEST_CASE("a file that is no run record is refused") {
    const tests::Scratch scratch;
    CHECK_THROWS_AS(report::read_run_record(scratch.write("a.json", "{}")), base::Error);
    CHECK_THROWS_AS(report::read_run_record(scratch.write("b.json", "{\"format\": \"other\"}")), base::Error);
    CHECK_THROWS_AS(
        report::read_run_record(scratch.write("c.json", "{\"format\": \"tandem run record 1\", \"version\": 3}")),
        base::Error);
    CHECK_THROWS_AS(report::read_run_record(scratch.write("d.json", "[1, 2")), base::Error);
    CHECK_THROWS_AS(report::read_run_record(scratch.folder() / "missing.json"), base::Error);
}
