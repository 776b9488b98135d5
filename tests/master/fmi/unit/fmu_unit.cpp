#include "tests/master/fmi/unit/bench.hpp"

#include <catch2/catch.hpp>

TEST_CASE("a unit is written, stepped and read over its slices in FMI 2 and FMI 3") {
    for (const char* name : {"empty_fmi2", "empty_fmi3"}) {
        Bench bench(name);
        bench.initialize();
        bench.real_in("u") = 4;
        const auto result = bench.step(1);
        CHECK(result.reached.ticks == 1'000'000);
        CHECK_FALSE(result.event);
        CHECK(bench.real("y") == 2.001);
        bench.unit->terminate();
    }
}

TEST_CASE("FMI 2 input derivatives are set before every step once an input has a slope") {
    Bench bench("integrator_fmi2");
    bench.initialize();
    CHECK(bench.unit->takes_slope(bench.variable("u")));
    CHECK_FALSE(bench.unit->takes_slope(bench.variable("y")));
    bench.step(100);
    CHECK(bench.integer("slope calls") == 0);
    bench.with_slopes = true;
    bench.real_in("u") = 1;
    bench.slope_in("u") = 10;
    bench.step(100);
    CHECK(bench.real("y") == Approx(0.1 + 10 * 0.005).epsilon(1e-14));
    bench.step(100);
    CHECK(bench.integer("slope calls") == 2);
    bench.with_slopes = false;
    bench.step(100);
    CHECK(bench.integer("slope calls") == 3);
    CHECK(bench.real("y") == Approx(2 * 0.15 + 0.1).epsilon(1e-14));
}

TEST_CASE("FMI 3 inputs with slopes are evaluated in the intermediate update") {
    Bench bench("integrator_fmi3");
    bench.initialize(2);
    CHECK(bench.unit->takes_slope(bench.variable("u")));
    bench.with_slopes = true;
    bench.real_in("u") = 1;
    bench.slope_in("u") = 10;
    bench.step(100);
    CHECK(bench.integer("updates") == 3);
    CHECK(bench.real("y") == Approx(0.15).epsilon(1e-12));
    bench.slope_in("u") = 0;
    bench.step(100);
    CHECK(bench.real("y") == Approx(0.25).epsilon(1e-12));
}

TEST_CASE("a saved state brings a unit back, where the FMU can") {
    Bench bench("integrator_fmi2");
    bench.initialize();
    bench.real_in("u") = 1;
    bench.step(100);
    const auto saved = bench.unit->save();
    bench.step(100);
    CHECK(bench.real("y") == Approx(0.2));
    bench.unit->restore(*saved);
    bench.read();
    CHECK(bench.real("y") == Approx(0.1));

    Bench other("empty_fmi2");
    CHECK(error_of([&] { (void)other.unit->save(); }).code() == "state");
    Bench promises("promises_state");
    promises.initialize();
    promises.step(1);
    const auto error = error_of([&] { (void)promises.unit->save(); });
    CHECK(error.code() == "bad-library");
    CHECK(contains(error.what(), "fmi2GetFMUstate"));
}

TEST_CASE("start values that a unit computes itself are refused by name") {
    Bench bench("empty_fmi2");
    bench.start("y", std::vector<double>{1});
    const auto error = error_of([&] { bench.initialize(); });
    CHECK(error.where() == "unit 'unit'");
    CHECK(contains(error.what(), "'y'"));
    CHECK(error.exit() == master::base::Exit::bad_input);
}
