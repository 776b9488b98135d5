#include "master/base/time.hpp"

#include <catch2/catch.hpp>

using master::base::Fraction;

TEST_CASE("a step is taken exactly as written") {
    CHECK(master::base::exact_fraction("0.001") == Fraction{1, 1000});
    CHECK(master::base::exact_fraction("1e-3") == Fraction{1, 1000});
    CHECK(master::base::exact_fraction(" 1/30 ") == Fraction{1, 30});
    CHECK(master::base::exact_fraction("2.50") == Fraction{5, 2});
    CHECK(master::base::exact_fraction("0.0333333") == Fraction{333333, 10000000});
    CHECK(master::base::exact_fraction("-0.5") == Fraction{-1, 2});
    CHECK(master::base::exact_fraction("20") == Fraction{20, 1});
}

TEST_CASE("what is no number is no step") {
    for (const char* text : {"", "abc", "1/0", "1e", "0x10", "1.2.3", "nan", "inf", "1e-90", "99999999999999999999"}) {
        INFO(text);
        CHECK_FALSE(master::base::exact_fraction(text).has_value());
    }
}

TEST_CASE("a rounded step becomes the simplest fraction that prints the same") {
    CHECK(master::base::simplest_fraction("0.0333333") == Fraction{1, 30});
    CHECK(master::base::simplest_fraction("0.03333333333333333") == Fraction{1, 30});
    CHECK(master::base::simplest_fraction("0.001") == Fraction{1, 1000});
    CHECK(master::base::simplest_fraction("0.033") == Fraction{33, 1000});
    CHECK(master::base::simplest_fraction("1E-2") == Fraction{1, 100});
    CHECK(master::base::simplest_fraction("0.0166667") == Fraction{1, 60});
    CHECK(master::base::simplest_fraction("1e-008") == Fraction{1, 100'000'000});
}

TEST_CASE("fractions print as decimals where that is exact") {
    CHECK(master::base::to_string(Fraction{1, 1000}) == "0.001");
    CHECK(master::base::to_string(Fraction{1, 30}) == "1/30");
    CHECK(master::base::to_string(Fraction{20, 1}) == "20");
    // More digits than a double has.
    CHECK(master::base::to_string(*master::base::exact_fraction("4000000000.00000001")) == "4000000000.00000001");
    CHECK(master::base::to_string(Fraction{-1, 1 << 30}) == "-1/1073741824");
}

TEST_CASE("the timebase makes every step a whole number of ticks, or says no") {
    const std::vector<Fraction> steps{{1, 1000}, {1, 30}, {1, 44100}};
    const auto timebase = master::base::common_timebase(steps);
    REQUIRE(timebase);
    for (const Fraction& step : steps) {
        const auto ticks = timebase->exactly(step);
        REQUIRE(ticks);
        CHECK(timebase->fraction(*ticks) == step);
    }
    const std::vector<Fraction> primes{{1, 10007}, {1, 10009}};
    CHECK_FALSE(master::base::common_timebase(primes));
}

TEST_CASE("seconds are computed from ticks, not accumulated") {
    const master::base::Timebase timebase{1'000'000'000};
    const auto step = timebase.exactly({1, 1000});
    REQUIRE(step);
    CHECK(timebase.seconds(master::base::Time{} + *step * 300) == 0.3);
    CHECK(timebase.seconds(master::base::Time{} + *step * 1'000'000'003) == 1000000.003);
}
