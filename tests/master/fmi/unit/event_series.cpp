#include "master/fmi/unit/event_series.hpp"

#include <catch2/catch.hpp>

using master::fmi::EventSeries;
using Verdict = EventSeries::Verdict;

namespace {

/// Falling zeros of the second of two indicators, each distance `factor` times the one before.
struct Falling {
    EventSeries series{2};
    double t = 0, distance = 1;

    Verdict next(double factor) {
        const int crossings[] = {0, -1};
        const Verdict verdict = series.add(crossings, t);
        t += distance;
        distance *= factor;
        return verdict;
    }
};

}  // namespace

TEST_CASE("zeros at equal or growing distances are no series, however many") {
    for (const double factor : {1.0, 1.01}) {
        Falling falling;
        for (int i = 0; i < 1000; ++i) {
            CHECK(falling.next(factor) == Verdict::apart);
            CHECK(falling.series.step_limit(falling.t) == 0);
        }
    }
}

TEST_CASE("zeros that come ever closer limit the step, are remarked, and accumulate") {
    Falling falling;
    int remarked = 0, accumulated = 0;
    for (int i = 0; i < 70; ++i) {
        const Verdict verdict = falling.next(0.7);
        remarked += verdict == Verdict::closing ? 1 : 0;
        accumulated += verdict == Verdict::accumulating ? 1 : 0;
        if (i == 3) CHECK(falling.series.step_limit(falling.t) == 0);
        if (i == 10) {
            CHECK(falling.series.step_limit(falling.t) > 0);
            CHECK(falling.series.step_limit(falling.t) < falling.distance / 10);
            CHECK(falling.series.step_limit(falling.t + 10) == 0);
        }
    }
    CHECK(remarked > 30);
    CHECK(accumulated > 0);
    CHECK(falling.series.closing().first == Approx(1));
}

TEST_CASE("a zero that is found twice counts once") {
    Falling falling;
    const int again[] = {0, -1};
    for (int i = 0; i < 40; ++i) {
        const double t = falling.t;
        const Verdict verdict = falling.next(0.7);
        CHECK(verdict != Verdict::accumulating);
        CHECK(falling.series.add(again, t) != Verdict::accumulating);
    }
    CHECK(falling.series.closing().count == 39);
}

TEST_CASE("a series that a longer distance interrupts begins anew") {
    Falling falling;
    for (int i = 0; i < 30; ++i) {
        if (i % 6 == 0) falling.distance = 1;
        CHECK(falling.next(0.2) == Verdict::apart);
    }
}

TEST_CASE("zeros in both directions are two series, and a restored state begins without any") {
    EventSeries series(1);
    double t = 0, distance = 1;
    Verdict last = Verdict::apart;
    for (int i = 0; i < 30; ++i) {
        const int down[] = {-1}, up[] = {1};
        last = series.add(down, t);
        (void)series.add(up, t + 1e-14);
        t += distance;
        distance *= 0.7;
    }
    CHECK(last == Verdict::closing);
    series.forget();
    CHECK(series.step_limit(t) == 0);
    const int down[] = {-1};
    CHECK(series.add(down, t) == Verdict::apart);
}
