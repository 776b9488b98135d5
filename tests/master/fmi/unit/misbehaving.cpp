#include "master/fmi/library/log_relay.hpp"
#include "tests/master/fmi/unit/bench.hpp"

#include <catch2/catch.hpp>
#include <cfenv>
#include <clocale>
#include <cmath>
#include <cstdarg>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

namespace {

/// A unit that behaves until t = 0.2 and then as asked.
struct Misbehaving : Bench {
    explicit Misbehaving(int behaviour) : Bench("misbehaving_fmi2") {
        start("behaviour", std::vector<std::int64_t>{behaviour});
        start("when", std::vector<double>{0.2});
        initialize();
        step(100);
        step(100);
    }
};

std::string formatted(const char* format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    std::string text = master::fmi::format_message(format, arguments);
    va_end(arguments);
    return text;
}

}  // namespace

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

TEST_CASE("a flood of messages is bounded and counted") {
    Misbehaving bench(5);
    bench.step(100);
    CHECK(bench.log.lines.size() == 100);
    bench.unit->terminate();
    CHECK(bench.log.lines.size() == 101);
    CHECK(bench.log.says("900 more messages"));
    CHECK(contains(bench.unit->last_message(), "message 999"));
}

TEST_CASE("hostile format strings are passed on as text") {
    Misbehaving bench(6);
    bench.step(100);
    CHECK(bench.log.says("%n%n%n%s%999999999d"));
    int target = 7;
    CHECK(formatted("%d and %s", 3, "text") == "3 and text");
    CHECK(formatted("%5.2f|%-4d|%lu|%%", 1.0, 2, 3UL) == " 1.00|2   |3|%");
    CHECK(formatted("%n", &target) == "%n");
    CHECK(formatted("%*d", 1000000, 1) == "%*d");
    CHECK(formatted("%2$s") == "%2$s");
    CHECK(formatted("%ls", L"wide") == "%ls");
    CHECK(formatted("100%") == "100%");
    CHECK(formatted("file %s", reinterpret_cast<const char*>(12)) == "file (unreadable)");
    CHECK(formatted("file %s", nullptr) == "file (null)");
    CHECK(formatted("%.3s|%4s", "abcdef", "x") == "abc|   x");
    CHECK(formatted(std::string(100'000, 'x').c_str()).size() == 2048);
    CHECK(formatted("%s", std::string(100'000, 'x').c_str()).size() < 2100);
    CHECK(target == 7);
}

TEST_CASE("references in FMI 2 messages become names") {
    Misbehaving bench(11);
    bench.step(100);
    CHECK(bench.log.says("u is above behaviour, 100# of #r99#"));
}

TEST_CASE("a wrong GUID is an error with the unit, the cause and the FMU's message") {
    const auto error = error_of([] { Bench("instantiate_fails"); });
    CHECK(error.code() == "instantiate");
    CHECK(error.where() == "unit 'unit'");
    CHECK(contains(error.what(), "GUID 'another-guid'"));
    CHECK(contains(error.what(), "the licence for tandem is 400 days old"));
    CHECK(error.exit() == master::base::Exit::bad_input);
}

TEST_CASE("what an FMU changes in the process while it is instantiated is put back") {
    const auto directory = std::filesystem::current_path();
    Bench bench("changes_process");
    CHECK(std::filesystem::current_path() == directory);
    CHECK(std::fegetround() == FE_TONEAREST);
    CHECK(std::string(std::setlocale(LC_NUMERIC, nullptr)) == "C");
    volatile double zero = 0;
    CHECK(std::isinf(1 / zero));  // a trap would end the test
    REQUIRE(bench.log.lines.size() == 1);
    CHECK(bench.log.lines[0].text ==
          "the FMU changed the working directory, the floating-point environment, the number format (locale) while it "
          "was instantiated; put back");
}

TEST_CASE("rounding changed in a first step is put back after every step") {
    Bench bench("misbehaving_fmi2");
    bench.start("behaviour", std::vector<std::int64_t>{8});
    bench.initialize();
    for (int i = 0; i < 3; ++i) {
        bench.step(100);
        CHECK(std::fegetround() == FE_TONEAREST);
    }
    CHECK(bench.log.lines.size() == 1);
    CHECK(bench.log.says("floating-point environment"));
}

TEST_CASE("a second instance of a once-per-process FMU is refused by name") {
    Bench bench("once_per_process");
    const auto error = error_of([&] {
        (void)bench.fmu->instantiate("second", master::fmi::Interface::co_simulation, bench.timebase, bench.log);
    });
    CHECK(error.where() == "unit 'second'");
    CHECK(contains(error.what(), "only once per process"));
}

TEST_CASE("a missing function is named only when it is needed") {
    const auto error = error_of([] { Bench("lacks_do_step"); });
    CHECK(error.code() == "missing-function");
    CHECK(contains(error.what(), "fmi2DoStep"));
}

TEST_CASE("a missing shared library is named with the loader's words, the run path and the flag") {
    const auto error = error_of([] { Bench("missing_library"); });
    CHECK(error.code() == "library");
    CHECK(contains(error.where(), "missing_library.fmu"));
    CHECK(contains(error.what(), "libtandem_absent.so: cannot open shared object file"));
    const std::string text = error.what();
    CHECK(
        contains(text.substr(text.find("it needs ")), "libtandem_absent.so"));  // a sanitizer's library may come first
    CHECK(contains(error.what(), "no run path"));
    CHECK(contains(error.what(), "needsExecutionTool is true"));
}

TEST_CASE("an FMU without a binary for this platform is refused with the platforms it has") {
    const auto error = error_of([] { Bench("windows_only"); });
    CHECK(error.code() == "no-binary");
    CHECK(contains(error.what(), "binaries/linux64/windows_only.so"));
    CHECK(contains(error.what(), "platforms there: win64"));
    CHECK(contains(error.what(), "source-code FMU"));
}
