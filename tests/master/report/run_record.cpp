#include "master/report/run_record.hpp"

#include "master/base/error.hpp"
#include "tests/support/scratch.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace master;

namespace {

report::RunRecord some_record(const tests::Scratch& scratch) {
    report::RunRecord record;
    record.version = TANDEM_VERSION;
    record.folder = scratch.folder().string();
    record.arguments = {"run", "two mass", "--stop=2"};
    record.options = {.algorithm = "jacobi", .step = "1/30", .step_origin = "--step", .stop = 2, .hold = "as wired"};
    record.inputs = {report::hashed("system", scratch.write("system.ssd", "<xml/>"))};
    record.inputs.front().path = "system.ssd";
    record.signals = {{"left.x", "m", "Displacement"}};
    record.parameters = {{"left.mass", std::vector<double>{0.1}, "kg", "values.ssv:12"},
                         {"left.limits", std::vector<double>{-INFINITY, 1}, "m", "modelDescription"},
                         {"left.name", std::vector<std::string>{"a", "b"}, "", "modelDescription"},
                         {"left.on", std::vector<std::uint8_t>{1}, "", "modelDescription"},
                         {"left.key", std::vector<core::ByteString>{{0, 255}}, "", "--set"}};
    record.environment = report::this_environment();
    record.outcome = {.exit = 0, .ended = "complete", .reached = 2, .points = 60};
    record.error_bar = {.missing = {},
                        .shadow = "twice the step",
                        .from = 0,
                        .to = 2,
                        .ends = {},
                        .order = 2,
                        .signals = {{.name = "left.x", .unit = "m", .error = 0.5, .share = 0.25, .rms_share = 0.125}},
                        .median = 0.01,
                        .worst = 0.02,
                        .worst_signal = "left.x",
                        .converged = true,
                        .advice = {}};
    record.bonds = {{.name = "boom", .transferred = 100, .created = -2}};
    return record;
}

}  // namespace

TEST_CASE("what a repeat needs of a run record reads back as it was written, and equal runs have equal records") {
    const tests::Scratch scratch;
    const report::RunRecord record = some_record(scratch);
    const auto file = scratch.folder() / "out" / "run.json";
    report::write_run_record(file, record);
    const std::string first = tests::content_of(file);
    const report::RunRecord again = report::read_run_record(file);
    CHECK(again.version == record.version);
    CHECK(again.folder == record.folder);
    CHECK(again.arguments == record.arguments);
    CHECK(again.inputs.front().path == "system.ssd");
    CHECK(again.inputs.front().sha256.size() == 64);
    CHECK(again.environment == record.environment);
    CHECK(report::changes_since(again).empty());
    report::write_run_record(file, record);
    CHECK(tests::content_of(file) == first);
}

TEST_CASE("a run record states options, parameters and outcome in this order and form") {
    const tests::Scratch scratch;
    report::RunRecord record = some_record(scratch);
    record.inputs.clear();
    record.folder = "/work";
    record.environment = {"cpu", "sse2", "glibc 2", "Linux", "g++", {{"hdf5", "1.10"}}};
    report::write_run_record(scratch.folder() / "run.json", record);
    CHECK(tests::content_of(scratch.folder() / "run.json") == R"({
  "format": "tandem run record 1",
  "version": ")" TANDEM_VERSION R"(",
  "folder": "/work",
  "arguments": [
    "run",
    "two mass",
    "--stop=2"
  ],
  "options": {
    "algorithm": "jacobi",
    "step": "1/30",
    "step_origin": "--step",
    "start": 0.0,
    "stop": 2.0,
    "hold": "as wired"
  },
  "inputs": [],
  "results": [],
  "signals": [
    {
      "name": "left.x",
      "unit": "m",
      "description": "Displacement"
    }
  ],
  "parameters": [
    {
      "name": "left.mass",
      "value": 0.1,
      "unit": "kg",
      "origin": "values.ssv:12"
    },
    {
      "name": "left.limits",
      "value": [
        "-inf",
        1.0
      ],
      "unit": "m",
      "origin": "modelDescription"
    },
    {
      "name": "left.name",
      "value": [
        "a",
        "b"
      ],
      "unit": "",
      "origin": "modelDescription"
    },
    {
      "name": "left.on",
      "value": true,
      "unit": "",
      "origin": "modelDescription"
    },
    {
      "name": "left.key",
      "value": "00ff",
      "unit": "",
      "origin": "--set"
    }
  ],
  "environment": {
    "cpu": "cpu",
    "cpu_features": "sse2",
    "c_library": "glibc 2",
    "kernel": "Linux",
    "compiler": "g++",
    "libraries": {
      "hdf5": "1.10"
    }
  },
  "outcome": {
    "exit": 0,
    "ended": "complete",
    "reached": 2.0,
    "points": 60
  },
  "error_bar": {
    "converged": true,
    "shadow": "twice the step",
    "order": 2,
    "from": 0.0,
    "to": 2.0,
    "ends": "",
    "opening": "",
    "sampled": [],
    "median": 0.01,
    "worst": 0.02,
    "worst_signal": "left.x",
    "signals": [
      {
        "name": "left.x",
        "error": 0.5,
        "unit": "m",
        "share": 0.25,
        "rms_share": 0.125
      }
    ]
  },
  "bonds": [
    {
      "name": "boom",
      "transferred": 100.0,
      "created": -2.0
    }
  ]
}
)");
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

TEST_CASE("an error bar has the unit of its signal, and none where that is 1") {
    report::ErrorBar bar{.signals = {{.name = "a.x", .unit = "m", .error = 0.5, .share = 0.25, .rms_share = 0.125},
                                     {.name = "a.y", .unit = "1", .error = 2, .share = 0.25, .rms_share = 0.125}}};
    CHECK(report::lines(bar).front().second.starts_with("a.x 0.5 m (25 %, 12 % rms), a.y 2 (25 %, 12 % rms)"));
}
