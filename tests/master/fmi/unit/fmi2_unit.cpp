#include "tests/master/fmi/unit/bench.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

TEST_CASE("an error in a step names unit, time, function, status and the last log line") {
    Misbehaving bench(1);
    const auto error = error_of([&] { bench.step(100); });
    CHECK(error.code() == "fmu-error");
    CHECK(error.where() == "unit 'unit' at t = 0.2");
    CHECK(std::string(error.what()) == "fmi2DoStep returned error; its last message: the pump burst after 3 steps");
    CHECK(error.exit() == master::base::Exit::failed);
    bench.unit->terminate();  // a failed unit is not terminated: the FMU would abort
}

TEST_CASE("after fatal an FMU is never called again, not even to be freed") {
#ifdef __SANITIZE_ADDRESS__
    const __lsan::ScopedDisabler lost_on_purpose;
#endif
    Misbehaving bench(3);
    const auto error = error_of([&] { bench.step(100); });
    CHECK(contains(error.what(), "returned fatal; its last message: memory is corrupt"));
    bench.unit->terminate();
    bench.unit.reset();  // the FMU would abort
}

TEST_CASE("a discarded FMI 2 step says how far the unit came") {
    Misbehaving bench(2);
    bench.write();
    const auto result = bench.unit->step(bench.t, {100'000'000});
    CHECK(result.discarded);
    CHECK_FALSE(result.terminate);
    CHECK(result.reached.ticks == 225'000'000);
}

TEST_CASE("a unit may end the simulation by discarding a step") {
    Misbehaving bench(9);
    const auto result = bench.step(100);
    CHECK(result.terminate);
    CHECK_FALSE(result.discarded);
    CHECK(result.reached.ticks == 225'000'000);
}

TEST_CASE("a NaN is passed on for the master to judge") {
    Misbehaving bench(4);
    bench.step(100);
    CHECK(std::isnan(bench.real("y")));
}

TEST_CASE("a warning is no failure") {
    Misbehaving bench(10);
    CHECK(bench.step(100).reached.ticks == 300'000'000);
    CHECK(bench.log.says("[logAll] close to a limit"));
    CHECK(bench.log.lines.back().unit == "unit");
    CHECK(bench.log.lines.back().time == Approx(0.2));
}

TEST_CASE("a pending step is polled until it is done") {
    Misbehaving bench(7);
    CHECK(bench.step(100).reached.ticks == 300'000'000);
}

TEST_CASE("a value the unit does not take is named") {
    Misbehaving bench(12);
    bench.real_in("u") = 2;
    const auto error = error_of([&] { bench.step(100); });
    CHECK(contains(error.what(), "fmi2SetReal of 'u' returned error"));
}
