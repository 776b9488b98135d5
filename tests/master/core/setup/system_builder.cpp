#include "tests/master/core/algorithms/coupled_systems.hpp"

#include <catch2/catch.hpp>

TEST_CASE("the run says that the order is 1 where an output feeds a held input through") {
    tests::Bench bench = tests::force_split({1, 100}, tests::Outputs::held);
    bench.hold = master::core::Hold::compensated;
    bench.make();
    REQUIRE(bench.diagnostics.findings().size() == 1);
    CHECK(bench.diagnostics.findings()[0].code == "order");
    CHECK_THAT(bench.diagnostics.findings()[0].text, Catch::Contains("left.x -> right.x1"));
    CHECK_THAT(bench.diagnostics.findings()[0].text, !Catch::Contains("right.F"));
}
