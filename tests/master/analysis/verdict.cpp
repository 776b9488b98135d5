#include "master/analysis/swap/verdict.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace master::analysis;

namespace {

struct Signals {
    std::vector<double> time, before, after;

    template <typename Before, typename After>
    Signals(Before before_at, After after_at) {
        for (int i = 0; i <= 1000; ++i) {
            time.push_back(0.01 * i);
            before.push_back(before_at(time.back()));
            after.push_back(after_at(time.back()));
        }
    }
    [[nodiscard]] Difference difference() const { return master::analysis::difference({time, before, after}); }
};

}  // namespace

TEST_CASE("equal signals do not differ, whatever is known of their errors") {
    const Signals same([](double t) { return std::sin(t); }, [](double t) { return std::sin(t); });
    CHECK(same.difference().peak == 0);
    CHECK(judge(same.difference(), {.coupling = {}, .missing = "no shadow"}).verdict == Verdict::no_difference);
}

TEST_CASE("a shift in time is measured to a fraction of the spacing") {
    const Signals shifted([](double t) { return std::sin(t); }, [](double t) { return std::sin(t - 0.0234); });
    REQUIRE(shifted.difference().shift);
    CHECK(*shifted.difference().shift == Approx(0.0234).epsilon(0.01));
}

TEST_CASE("a difference that no shift explains has none") {
    const Signals scaled([](double t) { return std::sin(t); }, [](double t) { return 1.5 * std::sin(t); });
    CHECK_FALSE(scaled.difference().shift);
}

TEST_CASE("the difference at rest is that of the last tenth, where nothing moves any more") {
    const Signals settled([](double t) { return 1 - std::exp(-3 * t); },
                          [](double t) { return 1.1 * (1 - std::exp(-3 * t)); });
    REQUIRE(settled.difference().at_rest);
    CHECK(*settled.difference().at_rest == Approx(0.1).epsilon(1e-6));
    const Signals moving([](double t) { return std::sin(t); }, [](double t) { return std::sin(t) + 1; });
    CHECK_FALSE(moving.difference().at_rest);
}

TEST_CASE("a verdict compares the peak with what the coupling errors explain") {
    const Difference ten{.range = 1000, .peak = 10};
    CHECK(judge(ten, {.coupling = 8}).verdict == Verdict::coupling);
    CHECK(judge(ten, {.coupling = 1}).verdict == Verdict::physics);
    CHECK(judge(ten, {.coupling = 3}).verdict == Verdict::cannot_tell);
    CHECK(judge(ten, {.coupling = 1, .converged = false}).verdict == Verdict::cannot_tell);
    CHECK(judge(ten, {.missing = "one core"}).verdict == Verdict::cannot_tell);
    CHECK(judge(ten, {.coupling = 1, .solver = 0.1}).verdict == Verdict::no_difference);
}
