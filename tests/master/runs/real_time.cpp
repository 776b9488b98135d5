#include "master/runs/real_time.hpp"

#include <catch2/catch.hpp>
#include <chrono>

using namespace master;
using namespace std::chrono_literals;

namespace {

constexpr base::Timebase nanoseconds{1'000'000'000};

base::Time at(std::chrono::nanoseconds t) { return {t.count()}; }

/// A clock that goes on only where a test says so, or while the run sleeps.
class TestClock final : public runs::MonotonicClock {
public:
    TimePoint now() override { return TimePoint(passed); }
    void sleep_until(TimePoint t) override { passed = t.time_since_epoch(); }

    std::chrono::nanoseconds passed = 7s;
};

}  // namespace

TEST_CASE("simulated time is held to the clock, times the factor") {
    TestClock clock;
    runs::RealTimePacer pacer(clock, at(1s), nanoseconds, 2);
    REQUIRE(pacer.go());
    for (int i = 1; i <= 10; ++i) {
        clock.passed += 3ms;  // the step takes that
        pacer.wait_until(at(1s + i * 10ms));
        CHECK(clock.passed == 7s + i * 5ms);
    }
    CHECK(pacer.pacing().deadlines == 10);
    CHECK(pacer.pacing().missed == 0);
}

TEST_CASE("a late step is a missed deadline, and the next ones catch up") {
    TestClock clock;
    runs::RealTimePacer pacer(clock, at(0s), nanoseconds, 1);
    REQUIRE(pacer.go());
    clock.passed += 25ms;
    for (int i = 1; i <= 5; ++i) pacer.wait_until(at(i * 5ms));
    CHECK(clock.passed == 7s + 25ms);  // without a pause
    pacer.wait_until(at(30ms));
    CHECK(clock.passed == 7s + 30ms);
    CHECK(pacer.pacing().missed == 4);  // the fifth was in time
    CHECK(pacer.pacing().worst == Approx(0.02));
    CHECK(pacer.pacing().late == std::array<std::uint64_t, 5>{0, 0, 1, 3, 0});
    CHECK(pacer.pacing().slipped == 0);
}

TEST_CASE("what is too late to be caught up is given up") {
    TestClock clock;
    runs::RealTimePacer pacer(clock, at(0s), nanoseconds, 1);
    REQUIRE(pacer.go());
    clock.passed += 201ms;
    pacer.wait_until(at(1ms));
    CHECK(pacer.pacing().slipped == Approx(0.1));
    pacer.wait_until(at(111ms));  // 110 ms later, of which 100 ms are caught up
    CHECK(clock.passed == 7s + 211ms);
    CHECK(pacer.pacing().missed == 1);
}

TEST_CASE("misses stand in the histogram by how late they are") {
    report::Pacing pacing{.deadlines = 10};
    CHECK(report::misses(pacing).empty());
    CHECK(report::lines(pacing).front().second == "10 deadlines, none missed");
    pacing.missed = 3;
    pacing.worst = 0.25;
    pacing.slipped = 0.15;
    pacing.late = {1, 0, 1, 0, 1};
    CHECK(report::misses(pacing) == "3 of 10 deadlines missed, the worst by 250 ms, 150 ms behind the clock");
    CHECK(report::lines(pacing)[1].second == "1 by less than 100 us, 1 by less than 10 ms, 1 by more");
}
