#include "master/runs/statistics.hpp"

#include "master/base/json.hpp"
#include "tests/support/scratch.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace master;

TEST_CASE("the statistics table lists the costliest unit first and the master's own share") {
    const std::string table =
        runs::statistics_table({.units = {{"cheap", 1000, 0.001, {}}, {"dear", 500, 0.25, {{"solver steps", 12345}}}},
                                .wall = 0.5,
                                .simulated = 10,
                                .points = 1000});
    CHECK(table ==
          "unit                          steps       total    per step   share\n"
          "dear                            500      250 ms      500 us  50.0 %\n"
          "    solver steps              12345\n"
          "cheap                          1000        1 ms        1 us   0.2 %\n"
          "master and recording           1000      249 ms      249 us  49.8 %\n"
          "all                            1000      500 ms  20 x real time\n");
}

TEST_CASE("a trace is JSON with one track per unit and one slice per step") {
    const tests::Scratch scratch;
    core::Profile profile(2, 10);
    { const core::Profile::Scope scope(profile, 0, {0}); }
    { const core::Profile::Scope scope(profile, 1, {500'000'000}); }
    const auto file = scratch.folder() / "trace.json";
    runs::write_trace(file, profile, {"left", "the \"right\""}, base::Timebase{});
    const base::Json trace = base::read_json(file);
    const base::Json& events = trace.at("traceEvents");
    REQUIRE(events.size() == 5);
    CHECK(events[2].at("args").at("name") == "the \"right\"");
    CHECK(events[4].at("tid") == 2);
    CHECK(events[4].at("ts") >= 0);
    CHECK(events[4].at("args").at("t") == 0.5);
}
