#include "tests/master/fmi/unit/bench.hpp"

#include <catch2/catch.hpp>
#include <cfenv>
#include <clocale>
#include <cmath>

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
