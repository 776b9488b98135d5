#include "master/analysis/swap/verdict.hpp"

#include "master/analysis/swap/noise.hpp"

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
    CHECK(judge(ten, {.coupling = 8, .left = Remainder{1, 0.1}}).verdict == Verdict::coupling);
    CHECK(judge(ten, {.coupling = 1}).verdict == Verdict::physics);
    CHECK(judge(ten, {.coupling = 3}).verdict == Verdict::cannot_tell);
    CHECK(judge(ten, {.coupling = 1, .converged = false}).verdict == Verdict::cannot_tell);
    CHECK(judge(ten, {.missing = "one core"}).verdict == Verdict::cannot_tell);
    CHECK(judge(ten, {.coupling = 1, .solver = 0.1}).verdict == Verdict::no_difference);
}

TEST_CASE("a difference is the coupling's only where it goes with the coupling errors") {
    const Difference ten{.range = 1000, .peak = 10};
    CHECK(judge(ten, {.coupling = 8}).verdict == Verdict::cannot_tell);
    CHECK(judge(ten, {.coupling = 8, .left = Remainder{1, 0.9}}).verdict == Verdict::cannot_tell);
    CHECK(judge(ten, {.coupling = 800, .left = Remainder{1, 1}}).reason.find("may hide") != std::string::npos);
    CHECK(judge(ten, {.coupling = 8, .left = Remainder{1, 0.1}, .converged = false}).verdict == Verdict::cannot_tell);
}

TEST_CASE("a part of a run speaks for the rest only where that differs by no more") {
    const Difference equal{.range = 1000}, ten{.range = 1000, .peak = 10}, hundred{.range = 1000, .peak = 100};
    const Uncertainty known{.coupling = 8, .left = Remainder{1, 0.1}};
    CHECK(judge_part(ten, equal, known, "ended").verdict == Verdict::coupling);
    CHECK(judge_part(ten, ten, known, "ended").verdict == Verdict::coupling);
    CHECK(judge_part(ten, hundred, known, "ended").verdict == Verdict::cannot_tell);
    CHECK(judge_part(equal, ten, known, "ended").reason == "ended");
    CHECK(judge_part(hundred, equal, known, "ended").verdict == Verdict::physics);
}

TEST_CASE("the errors of the solvers count beside those of the coupling") {
    const Difference ten{.range = 1000, .peak = 10};
    const Uncertainty of_solvers{.coupling = 1, .solver_errors = 9, .left = Remainder{0.1, 0.1}};
    CHECK(judge(ten, of_solvers).verdict == Verdict::no_difference);
    CHECK(judge(ten, {.coupling = 1, .solver_errors = 9, .left = Remainder{1, 1}}).verdict == Verdict::cannot_tell);
    CHECK(judge(ten, {.coupling = 1, .solver_errors = 2}).verdict == Verdict::cannot_tell);
    CHECK(judge(ten, {.coupling = 1, .solver_errors = 1, .left = Remainder{1, 1}}).verdict == Verdict::physics);
}

TEST_CASE("a jump that comes a step later is not physics, one that comes much later is") {
    for (const auto& [late, verdict] : {std::pair(0.01, Verdict::cannot_tell), std::pair(0.2, Verdict::physics)}) {
        Signals jumps([](double t) { return t < 5 ? 0.0 : 1.0; },
                      [late = late](double t) { return t < 5 + late - 1e-9 ? 0.0 : 1.0; });
        const Difference found = difference({jumps.time, jumps.before, jumps.after, 0.02});
        CHECK(found.peak == 1);
        CHECK(judge(found, {.coupling = 0.01}).verdict == verdict);
    }
    const Signals scaled([](double t) { return std::sin(t); }, [](double t) { return 1.5 * std::sin(t); });
    const Difference found = difference({scaled.time, scaled.before, scaled.after, 0.02});
    CHECK(*found.lasting == Approx(0.5).epsilon(0.01));
}

TEST_CASE("noise is no physics, and physics is what is beyond it") {
    const Difference ten{.range = 1000, .peak = 10};
    CHECK(judge(ten, {.coupling = 0.1, .noise = 8, .common_noise = false}).verdict == Verdict::cannot_tell);
    CHECK(judge(ten, {.missing = "no shadow", .noise = 8, .common_noise = false}).reason.starts_with("noise"));
    CHECK(judge(ten, {.coupling = 0.1, .noise = 3, .common_noise = false}).verdict == Verdict::cannot_tell);
    CHECK(judge(ten, {.coupling = 0.1, .noise = 1, .common_noise = false}).verdict == Verdict::physics);
    // The same noise in both runs is in no difference; but where error bars are no larger, they may be that noise.
    CHECK(judge(ten, {.coupling = 0.1, .noise = 8}).verdict == Verdict::physics);
    CHECK(judge(ten, {.coupling = 8, .noise = 8}).verdict == Verdict::cannot_tell);
    CHECK(judge(ten, {.coupling = 8, .left = Remainder{1, 0.1}, .noise = 0.1}).verdict == Verdict::coupling);
}

TEST_CASE("seeds are told from other words") {
    for (const char* name : {"seed", "Seed", "noise.seed", "globalSeed", "random_seed", "beam.seed", "seed1", "x.SEED"})
        CHECK(names_a_seed(name));
    for (const char* name : {"linseed", "seeds_of_growth", "speed", "seeded", "", "reseed"})
        CHECK_FALSE(names_a_seed(name));
}

TEST_CASE("noise is common where the same unit has the same seed and step") {
    const NoiseSeed old{.component = "a", .name = "seed", .token = "x", .value = 7, .other = 8};
    NoiseSeed changed = old;
    changed.value = 9;
    NoiseSeed elsewhere = old;
    elsewhere.component = "b";
    CHECK(seeding({old}, {old}, "a", true).common);
    CHECK_FALSE(seeding({old}, {old}, "a", false).common);
    CHECK_FALSE(seeding({old}, {changed}, "a", true).common);
    CHECK_FALSE(seeding({old}, {}, "a", true).common);
    CHECK(seeding({elsewhere}, {elsewhere}, "a", true).before.empty());
    elsewhere.token = "y";
    changed.component = "b";
    CHECK(seeding({changed}, {elsewhere}, "a", true).after.size() == 1);
    CHECK(reseeded({}, {old}).set == std::vector<std::string>{"a.seed=8"});
}
