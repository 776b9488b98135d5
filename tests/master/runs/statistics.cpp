#include "master/runs/statistics.hpp"

#include "master/base/json.hpp"
#include "master/verbs/progress.hpp"
#include "tests/support/scratch.hpp"

#include <catch2/catch.hpp>
#include <chrono>
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

TEST_CASE("progress states part, time, real-time factor and what is left") {
    const verbs::Progress::Range range{{0}, {10'000'000'000}, base::Timebase{}};
    const verbs::Progress lines(range, verbs::Progress::Style::lines);
    CHECK(lines.text({4'200'000'000}, 2.1) == " 42 %  t = 4.2 of 10 s  2 x real time  0:03 left");
    const verbs::Progress bar(range, verbs::Progress::Style::bar);
    CHECK(bar.text({10'000'000'000}, 4) == "[########################] 100 %  t = 10 of 10 s  2.5 x real time");
}

TEST_CASE("a short run shows no progress, a quiet one never") {
    for (const verbs::Progress::Style style :
         {verbs::Progress::Style::lines, verbs::Progress::Style::bar, verbs::Progress::Style::quiet}) {
        const tests::Scratch scratch;
        const auto file = scratch.folder() / "out";
        std::FILE* stream = std::fopen(file.c_str(), "w");
        verbs::Progress progress({{0}, {1000}, base::Timebase{}}, style, stream);
        const core::Signals signals;
        for (std::int64_t t = 0; t <= 1000; ++t) progress.after_step({t}, signals);
        progress.finish();
        std::fclose(stream);
        CHECK(tests::content_of(file).empty());
    }
}

TEST_CASE("a pulse comes, but never more than once per period, however fast it is asked") {
    using namespace std::chrono;
    constexpr milliseconds period(20);
    const auto begin = steady_clock::now();
    base::Pulse pulse(period);
    int count = 0;
    while (count < 5 && steady_clock::now() - begin < 1500 * period) count += pulse.due() ? 1 : 0;
    // No upper limit on the time: a busy machine may stop this thread for long.
    CHECK(count == 5);
    CHECK(steady_clock::now() - begin >= 5 * period);
}
