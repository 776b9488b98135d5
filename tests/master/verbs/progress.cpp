#include "master/verbs/progress.hpp"

#include "tests/support/scratch.hpp"

#include <catch2/catch.hpp>

using namespace master;

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
