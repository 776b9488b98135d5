#include "tests/interfaces/canopen/bench.hpp"

#include <catch2/catch.hpp>

using namespace interfaces::canopen;

TEST_CASE("a node sends its boot-up message some time after power-up and is then pre-operational") {
    Bench bench;
    CHECK(bench.slave.due() == Slave::boot_delay);
    CHECK(bench.run(49ms).empty());
    REQUIRE(bench.run(1ms).size() == 1);
    CHECK(bench.sent[0].id == 0x705);
    CHECK(bytes_of(bench.sent[0]) == Bytes{0x00});
    CHECK(bench.slave.nmt() == NmtState::pre_operational);
}

TEST_CASE("commands lead from each state to the next") {
    struct Row {
        std::uint8_t command;
        NmtState next;
    };
    const std::vector<Row> rows{{0x01, NmtState::operational},
                                {0x02, NmtState::stopped},
                                {0x80, NmtState::pre_operational},
                                {0x81, NmtState::initialising},
                                {0x82, NmtState::initialising}};
    for (const std::uint8_t before : {0x01, 0x02, 0x80})
        for (const Row& row : rows) {
            Bench bench;
            bench.run(60ms);
            bench.tell(0, {before, 0x05});
            bench.tell(0, {row.command, 0x05});
            CHECK(bench.slave.nmt() == row.next);
        }
}

TEST_CASE("commands to others, of wrong length or unknown are not for this node") {
    Bench bench;
    bench.run(60ms);
    for (const Bytes& bytes : {Bytes{0x01, 0x06}, Bytes{0x01}, Bytes{0x01, 0x05, 0x00}, Bytes{0x33, 0x05}, Bytes{}}) {
        bench.tell(0, bytes);
        CHECK(bench.slave.nmt() == NmtState::pre_operational);
    }
    bench.tell(0, {0x01, 0x00});
    CHECK(bench.slave.nmt() == NmtState::operational);
}

TEST_CASE("each state offers its services") {
    Bench bench;
    CHECK(bench.tell(0x605, Bench::upload({0x1000, 0})).empty());  // not booted
    bench.run(60ms);
    CHECK(bench.tell(0x605, Bench::upload({0x1000, 0})).size() == 1);
    CHECK(bench.tell(0x80, {}).empty());
    bench.tell(0, {0x01, 0x00});
    CHECK(bench.tell(0x605, Bench::upload({0x1000, 0})).size() == 1);
    CHECK(bench.tell(0x80, {}).size() == 1);
    bench.tell(0, {0x02, 0x00});
    CHECK(bench.tell(0x605, Bench::upload({0x1000, 0})).empty());
    CHECK(bench.tell(0x80, {}).empty());
}

TEST_CASE("the heartbeat begins when it is written, says the state, and keeps its period") {
    Bench bench;
    bench.run(60ms);
    CHECK(bench.write({0x1017, 0}, 20, 2) == Abort::none);
    CHECK(bench.slave.due() == bench.now + 20ms);
    CHECK(bench.run(19ms).empty());
    REQUIRE(bench.run(1ms).size() == 1);
    CHECK(bench.sent[0].id == 0x705);
    CHECK(bytes_of(bench.sent[0]) == Bytes{0x7F});
    bench.tell(0, {0x02, 0x00});
    CHECK(bench.run(100ms).size() == 5);
    CHECK(bytes_of(bench.sent[0]) == Bytes{0x04});
    bench.tell(0, {0x80, 0x00});
    CHECK(bench.write({0x1017, 0}, 0, 2) == Abort::none);
    CHECK(bench.run(100ms).empty());
}

TEST_CASE("a late caller shifts no heartbeat, and gets only one for the missed ones") {
    Bench bench;
    bench.run(60ms);
    bench.write({0x1017, 0}, 20, 2);
    bench.sent.clear();
    bench.slave.advance(bench.now + 23ms, bench.sent);
    CHECK(bench.sent.size() == 1);
    CHECK(bench.slave.due() == bench.now + 40ms);
    bench.slave.advance(bench.now + 1s, bench.sent);
    CHECK(bench.sent.size() == 2);
    CHECK(bench.slave.due() == bench.now + 1020ms);
}

TEST_CASE("resetting the communication keeps the application's objects, resetting the node does not") {
    for (const std::uint8_t command : {0x81, 0x82}) {
        Bench bench;
        bench.run(60ms);
        bench.write({0x1017, 0}, 20, 2);
        bench.write({0x2005, 0}, 9, 2);
        bench.tell(0, {command, 0x05});
        REQUIRE(bench.run(50ms).size() == 1);
        CHECK(bytes_of(bench.sent[0]) == Bytes{0x00});
        CHECK(bench.read({0x1017, 0}) == 0);
        CHECK(bench.read({0x2005, 0}) == (command == 0x81 ? 5 : 9));
    }
}

TEST_CASE("stored parameters are there after a reset and after power-up, until the defaults are loaded") {
    Bench bench;
    bench.run(60ms);
    CHECK(bench.read({0x1010, 1}) == 1);
    bench.write({0x1017, 0}, 200, 2);
    bench.write({0x2005, 0}, 9, 2);
    CHECK(bench.write({0x1010, 1}, 0x65766173, 4) == Abort::none);
    bench.write({0x2005, 0}, 8, 2);
    bench.slave.switch_on(bench.now);
    bench.run(60ms);
    CHECK(bench.read({0x1017, 0}) == 200);
    CHECK(bench.read({0x2005, 0}) == 9);
    CHECK(bench.write({0x1011, 1}, 0x64616F6C, 4) == Abort::none);
    CHECK(bench.read({0x2005, 0}) == 9);  // only after a reset
    bench.tell(0, {0x81, 0x05});
    bench.run(60ms);
    CHECK(bench.read({0x1017, 0}) == 0);
    CHECK(bench.read({0x2005, 0}) == 5);
}

TEST_CASE("an emergency is told once, its end when none is left, and both stand in the objects") {
    Bench bench;
    bench.run(60ms);
    bench.slave.raise({.code = 0x5000, .bits = error_register::manufacturer, .details = {1, 2, 3, 4, 5}});
    bench.slave.raise({.code = 0x5000});
    bench.slave.raise({.code = 0x4200, .bits = error_register::temperature});
    REQUIRE(bench.run(5ms).size() == 2);
    CHECK(bench.sent[0].id == 0x85);
    CHECK(bytes_of(bench.sent[0]) == Bytes{0x00, 0x50, 0x81, 1, 2, 3, 4, 5});
    CHECK(bytes_of(bench.sent[1]) == Bytes{0x00, 0x42, 0x89, 0, 0, 0, 0, 0});
    CHECK(bench.read({0x1001, 0}) == 0x89);
    CHECK(bench.read({0x1003, 0}) == 2);
    CHECK(bench.read({0x1003, 1}) == 0x4200);
    CHECK(bench.read({0x1003, 2}) == 0x5000);
    bench.slave.clear(0x5000);
    bench.slave.clear(0x1234);
    CHECK(bench.run(5ms).empty());
    bench.slave.clear(0x4200);
    REQUIRE(bench.run(5ms).size() == 1);
    CHECK(bytes_of(bench.sent[0]) == Bytes{0, 0, 0, 0, 0, 0, 0, 0});
    CHECK(bench.read({0x1001, 0}) == 0);
    CHECK(bench.write({0x1003, 0}, 0, 1) == Abort::none);
    CHECK(bench.read({0x1003, 1}) == 0);
}

TEST_CASE("emergencies keep their inhibit time, wait while stopped, and can be switched off") {
    Bench bench;
    bench.run(60ms);
    bench.write({0x1015, 0}, 100, 2);
    bench.slave.raise({.code = 0x5000});
    bench.slave.raise({.code = 0x4200});
    CHECK(bench.run(10ms).size() == 1);
    CHECK(bench.run(1ms).size() == 1);
    bench.tell(0, {0x02, 0x00});
    bench.slave.raise({.code = 0x1000});
    CHECK(bench.run(50ms).empty());
    bench.tell(0, {0x80, 0x00});
    CHECK(bench.run(1ms).size() == 1);
    CHECK(bench.write({0x1014, 0}, 0x99, 4) == Abort::wrong_state);
    CHECK(bench.write({0x1014, 0}, 0x80000085, 4) == Abort::none);
    CHECK(bench.write({0x1014, 0}, 0x01, 4) == Abort::value);
    bench.slave.raise({.code = 0x3100});
    CHECK(bench.run(50ms).empty());
    CHECK(bench.write({0x1014, 0}, 0x99, 4) == Abort::none);
    bench.slave.raise({.code = 0x6100});
    REQUIRE(bench.run(50ms).size() == 1);
    CHECK(bench.sent[0].id == 0x99);
}

TEST_CASE("more errors than there is room for lose none of what the last message says") {
    Bench bench;
    bench.run(60ms);
    for (std::uint16_t i = 1; i <= 20; ++i) bench.slave.raise({.code = i});
    CHECK(bench.run(50ms).size() == 8);
    CHECK(bench.read({0x1003, 0}) == 8);
    for (std::uint16_t i = 1; i <= 20; ++i) bench.slave.clear(i);
    CHECK(bench.read({0x1001, 0}) == 0);
}

TEST_CASE("a copied state continues identically") {
    Bench bench;
    bench.start();
    bench.write({0x1017, 0}, 7, 2);
    bench.ask(Bench::upload({0x1008, 0}));
    const Slave::State saved = bench.slave.state;
    const Time then = bench.now;
    const auto story = [&]() {
        Frames all;
        for (int i = 0; i < 50; ++i) {
            bench.slave.set(*bench.device.dictionary.find({0x2000, 0}), i / 3);
            for (const auto& one : bench.run(1ms)) all.push_back(one);
            for (const auto& one :
                 bench.tell(0x605, {static_cast<std::uint8_t>(0x60 | (i % 2) << 4), 0, 0, 0, 0, 0, 0, 0}))
                all.push_back(one);
        }
        return all;
    };
    const Frames first = story();
    CHECK(first.size() > 60);
    bench.slave.state = saved;
    bench.now = then;
    CHECK(story() == first);
}

// What a unit saves as bytes.
static_assert(std::is_trivially_copyable_v<Slave::State::Running>);
static_assert(std::is_trivially_copyable_v<SdoServerState::Progress>);
static_assert(std::is_trivially_copyable_v<Tpdo> && std::is_trivially_copyable_v<Rpdo>);
