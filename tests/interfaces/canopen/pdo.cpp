#include "interfaces/canopen/slave/pdo.hpp"

#include "tests/interfaces/canopen/bench.hpp"

#include <catch2/catch.hpp>

using namespace interfaces::canopen;

namespace {

struct Started : Bench {
    Started() {
        start();
        run(1ms);  // the first event-driven PDO
    }
    void set(std::uint16_t index, double value) { slave.set(*device.dictionary.find({index, 0}), value); }
    void set_type(std::uint8_t type, std::uint16_t inhibit = 0, std::uint16_t timer = 0) {
        CHECK(write({0x1800, 1}, 0xC0000185, 4) == Abort::none);
        CHECK(write({0x1800, 2}, type, 1) == Abort::none);
        CHECK(write({0x1800, 3}, inhibit, 2) == Abort::none);
        CHECK(write({0x1800, 5}, timer, 2) == Abort::none);
        CHECK(write({0x1800, 1}, 0x40000185, 4) == Abort::none);
    }
};

}  // namespace

TEST_CASE("an event-driven PDO goes out when the node becomes operational, and when a mapped value changes") {
    Bench bench;
    bench.start();
    REQUIRE(bench.run(1ms).size() == 1);
    CHECK(bench.sent[0].id == 0x185);
    CHECK(bytes_of(bench.sent[0]) == Bytes{0, 0, 0});
    CHECK(bench.run(100ms).empty());
    bench.slave.set(*bench.device.dictionary.find({0x2000, 0}), -2);
    bench.slave.set(*bench.device.dictionary.find({0x2001, 0}), 0x33);
    REQUIRE(bench.run(10ms).size() == 1);
    CHECK(bytes_of(bench.sent[0]) == Bytes{0xFE, 0xFF, 0x33});
    bench.slave.set(*bench.device.dictionary.find({0x2002, 0}), 7);  // not in this PDO
    CHECK(bench.run(10ms).empty());
}

TEST_CASE_METHOD(Started, "a PDO of type n goes out with every n-th SYNC, with the value of that moment") {
    set(0x2002, 1.5);
    REQUIRE(tell(0x80, {}).size() == 1);
    CHECK(sent[0].id == 0x285);
    CHECK(bytes_of(sent[0]) == Bytes{0x00, 0x00, 0xC0, 0x3F});
    CHECK(write({0x1801, 2}, 3, 1) == Abort::none);
    std::vector<std::size_t> counts;
    for (int i = 0; i < 6; ++i) counts.push_back(tell(0x80, {}).size());
    CHECK(counts == std::vector<std::size_t>{0, 0, 1, 0, 0, 1});
    CHECK(tell(0x80, {1, 2}).empty());  // no SYNC
}

TEST_CASE_METHOD(Started, "the inhibit time is not for synchronous PDOs") {
    set_type(1, 100);
    for (int i = 0; i < 5; ++i) {
        CHECK(tell(0x80, {}).size() == 2);
        run(1ms);
    }
}

TEST_CASE_METHOD(Started, "with a SYNC start value the count begins at that counter") {
    CHECK(write({0x1801, 1}, 0xC0000285, 4) == Abort::none);
    CHECK(write({0x1801, 2}, 2, 1) == Abort::none);
    CHECK(write({0x1801, 6}, 3, 1) == Abort::none);
    CHECK(write({0x1801, 1}, 0x40000285, 4) == Abort::none);
    std::vector<std::size_t> counts;
    for (std::uint8_t counter = 1; counter <= 8; ++counter) counts.push_back(tell(0x80, {counter}).size());
    CHECK(counts == std::vector<std::size_t>{0, 0, 1, 0, 1, 0, 1, 0});
}

TEST_CASE_METHOD(Started, "type 0 goes out with the next SYNC after a change") {
    set_type(0);
    CHECK(tell(0x80, {}).size() == 2);  // first time; the other one is TPDO2
    CHECK(tell(0x80, {}).size() == 1);
    set(0x2000, 5);
    CHECK(run(10ms).empty());
    CHECK(tell(0x80, {}).size() == 2);
    CHECK(tell(0x80, {}).size() == 1);
}

TEST_CASE_METHOD(Started, "the event timer makes a PDO cyclic without drift, and restarts with a change") {
    set_type(255, 0, 10);
    CHECK(run(100ms).size() == 10);
    set(0x2000, 5);
    CHECK(run(5ms).size() == 1);
    CHECK(run(5ms).empty());
    CHECK(run(1ms).size() == 1);
}

TEST_CASE_METHOD(Started, "a timer's transmission counts from when it was due") {
    set_type(254, 0, 10);
    run(20ms);
    const Time planned = *slave.due();
    sent.clear();
    slave.advance(planned + 3ms, sent);
    CHECK(sent.size() == 1);
    CHECK(slave.due() == planned + 10ms);
}

TEST_CASE_METHOD(Started, "the inhibit time is the least distance and wins over the event timer") {
    set_type(254, 50, 2);  // 5 ms
    run(10ms);
    std::size_t count = 0;
    for (int i = 1; i <= 100; ++i) {
        set(0x2000, i);
        count += run(1ms).size();
    }
    CHECK(count == 20);
}

TEST_CASE_METHOD(Started, "a PDO is remapped in the one order that is allowed") {
    CHECK(write({0x1A00, 0}, 0, 1) == Abort::wrong_state);
    CHECK(write({0x1800, 3}, 1, 2) == Abort::wrong_state);
    CHECK(write({0x1800, 1}, 0x40000186, 4) == Abort::wrong_state);
    CHECK(write({0x1800, 1}, 0x80000185, 4) == Abort::none);
    CHECK(write({0x1A00, 1}, 0x20020020, 4) == Abort::wrong_state);
    CHECK(write({0x1A00, 0}, 0, 1) == Abort::none);
    CHECK(write({0x1A00, 1}, 0x20020020, 4) == Abort::none);
    CHECK(write({0x1A00, 2}, 0x20010008, 4) == Abort::none);
    CHECK(write({0x1A00, 0}, 2, 1) == Abort::none);
    CHECK(write({0x1800, 1}, 0x185, 4) == Abort::none);
    set(0x2002, 1.5);
    set(0x2001, 0x7F);
    REQUIRE(run(1ms).size() == 1);
    CHECK(bytes_of(sent[0]) == Bytes{0x00, 0x00, 0xC0, 0x3F, 0x7F});
}

TEST_CASE_METHOD(Started, "mappings that cannot be are refused") {
    CHECK(write({0x1800, 1}, 0x80000185, 4) == Abort::none);
    CHECK(write({0x1A00, 0}, 0, 1) == Abort::none);
    CHECK(write({0x1A00, 1}, 0x21000010, 4) == Abort::no_object);
    CHECK(write({0x1A00, 1}, 0x20000110, 4) == Abort::no_sub_index);
    CHECK(write({0x1A00, 1}, 0x20050010, 4) == Abort::not_mappable);  // not for PDOs
    CHECK(write({0x1A00, 1}, 0x20030010, 4) == Abort::not_mappable);  // only received
    CHECK(write({0x1A00, 1}, 0x20000008, 4) == Abort::not_mappable);  // not its length
    CHECK(write({0x1A00, 1}, 0x00050008, 4) == Abort::not_mappable);  // a gap, in a TPDO
    CHECK(write({0x1A00, 1}, 0x20070040, 4) == Abort::none);
    CHECK(write({0x1A00, 2}, 0x20010008, 4) == Abort::none);
    CHECK(write({0x1A00, 0}, 2, 1) == Abort::pdo_too_long);
    CHECK(write({0x1A00, 0}, 3, 1) == Abort::not_mappable);  // the third is empty
    CHECK(write({0x1A00, 0}, 9, 1) == Abort::too_high);
    CHECK(write({0x1A00, 0}, 65, 1) == Abort::pdo_too_long);
    CHECK(write({0x1A00, 0}, 1, 1) == Abort::none);
}

TEST_CASE_METHOD(Started, "communication parameters that cannot be are refused") {
    for (const std::uint8_t type : {241, 252, 253}) CHECK(write({0x1800, 2}, type, 1) == Abort::value);
    CHECK(write({0x1800, 1}, 0x80000185, 4) == Abort::none);
    for (const std::uint32_t id : {0x000u, 0x07Fu, 0x180u, 0x585u, 0x605u, 0x705u, 0x7E5u, 0x800u, 0x20000185u})
        CHECK(write({0x1800, 1}, id, 4) == Abort::value);
    CHECK(write({0x1800, 6}, 241, 1) == Abort::value);
    CHECK(write({0x1005, 0}, 0x40000080, 4) == Abort::value);  // it produces no SYNC
    CHECK(write({0x1005, 0}, 0x81, 4) == Abort::none);
    CHECK(tell(0x80, {}).empty());
    CHECK(tell(0x81, {}).size() == 1);
}

TEST_CASE_METHOD(Started, "single bits are packed one behind the other") {
    CHECK(write({0x1800, 1}, 0x80000185, 4) == Abort::none);
    CHECK(write({0x1A00, 0}, 0, 1) == Abort::none);
    CHECK(write({0x1A00, 1}, 0x20080001, 4) == Abort::none);
    CHECK(write({0x1A00, 2}, 0x20010008, 4) == Abort::none);
    CHECK(write({0x1A00, 0}, 2, 1) == Abort::none);
    CHECK(write({0x1800, 1}, 0x185, 4) == Abort::none);
    set(0x2008, 1);
    set(0x2001, 0x81);
    REQUIRE(run(1ms).size() == 1);
    CHECK(bytes_of(sent[0]) == Bytes{0x03, 0x01});
}

TEST_CASE_METHOD(Started, "a received PDO sets its objects at once, or with the next SYNC") {
    const Entry& command = *device.dictionary.find({0x2003, 0});
    tell(0x205, {0xFE, 0xFF});
    CHECK(slave.get(command) == -2);
    CHECK(write({0x1400, 2}, 1, 1) == Abort::none);
    tell(0x205, {5, 0});
    CHECK(slave.get(command) == -2);
    tell(0x80, {});
    CHECK(slave.get(command) == 5);
    tell(0, {0x80, 0});
    tell(0x205, {6, 0});
    tell(0x80, {});
    CHECK(slave.get(command) == 5);
}

TEST_CASE_METHOD(Started, "a received PDO with gaps skips them; one that is too short is an emergency") {
    CHECK(write({0x1400, 1}, 0x80000205, 4) == Abort::none);
    CHECK(write({0x1600, 0}, 0, 1) == Abort::none);
    CHECK(write({0x1600, 1}, 0x00050008, 4) == Abort::none);
    CHECK(write({0x1600, 2}, 0x20030010, 4) == Abort::none);
    CHECK(write({0x1600, 0}, 2, 1) == Abort::none);
    CHECK(write({0x1400, 1}, 0x205, 4) == Abort::none);
    const Entry& command = *device.dictionary.find({0x2003, 0});
    tell(0x205, {0xAA, 7, 0});
    CHECK(slave.get(command) == 7);
    tell(0x205, {0xAA, 8});
    CHECK(slave.get(command) == 7);
    REQUIRE(run(1ms).size() == 1);
    CHECK(bytes_of(sent[0]) == Bytes{0x10, 0x82, 0x11, 0, 0, 0, 0, 0});
}
