#include "master/fmi/fmu.hpp"

#include "tests/master/fmi/unit/bench.hpp"

#include <catch2/catch.hpp>

TEST_CASE("all instances of an FMU share one loaded library and one description") {
    Bench bench("empty_fmi2");
    const auto second =
        bench.fmu->instantiate("second", master::fmi::Interface::co_simulation, bench.timebase, bench.log);
    CHECK(&second->info() == &bench.unit->info());
    bench.initialize();
    bench.real_in("u") = 1;
    bench.step(1);
    CHECK(bench.real("y") == 0.501);
}

TEST_CASE("an FMU with both interfaces has a library for each, and co-simulation is preferred") {
    CHECK(Bench("both_fmi2").unit->info().interface == "co-simulation");
    Bench exchange("both_fmi2", "ModelExchange");
    exchange.initialize();
    exchange.step(100);
    CHECK(exchange.real("h") == Approx(1 - 9.81 / 2 * 0.01));
    Bench named("both_fmi2", "me");
    CHECK(named.unit->info().can.refreshes_outputs);
    const auto error = error_of([] { Bench("both_fmi2", "magic"); });
    CHECK(error.code() == "no-interface");
    CHECK(contains(error.what(), "'magic', expected CoSimulation, ModelExchange, cs, me or any"));
    CHECK(contains(error_of([] { Bench("empty_fmi2", "me"); }).what(), "it offers CoSimulation"));
}

TEST_CASE("Scheduled Execution is recognised and refused") {
    const auto error = error_of([] { Bench("scheduled_fmi3"); });
    CHECK(error.code() == "no-interface");
    CHECK(contains(error.what(), "Scheduled Execution only"));
}

TEST_CASE("a wrong GUID is an error with the unit, the cause and the FMU's message") {
    const auto error = error_of([] { Bench("instantiate_fails"); });
    CHECK(error.code() == "instantiate");
    CHECK(error.where() == "unit 'unit'");
    CHECK(contains(error.what(), "GUID 'another-guid'"));
    CHECK(contains(error.what(), "the licence for tandem is 400 days old"));
    CHECK(error.exit() == master::base::Exit::bad_input);
}

TEST_CASE("a second instance of a once-per-process FMU is refused by name") {
    Bench bench("once_per_process");
    const auto error = error_of([&] {
        (void)bench.fmu->instantiate("second", master::fmi::Interface::co_simulation, bench.timebase, bench.log);
    });
    CHECK(error.where() == "unit 'second'");
    CHECK(contains(error.what(), "only once per process"));
}
