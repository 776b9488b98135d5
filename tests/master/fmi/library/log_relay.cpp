#include "master/fmi/library/log_relay.hpp"

#include "tests/master/fmi/unit/bench.hpp"

#include <catch2/catch.hpp>

TEST_CASE("a flood of messages is bounded and counted") {
    Misbehaving bench(5);
    bench.step(100);
    CHECK(bench.log.lines.size() == 100);
    bench.unit->terminate();
    CHECK(bench.log.lines.size() == 101);
    CHECK(bench.log.says("900 more messages"));
    CHECK(contains(bench.unit->last_message(), "message 999"));
}

TEST_CASE("references in FMI 2 messages become names") {
    Misbehaving bench(11);
    bench.step(100);
    CHECK(bench.log.says("u is above behaviour, 100# of #r99#"));
}
