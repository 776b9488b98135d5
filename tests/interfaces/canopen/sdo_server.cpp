#include "interfaces/canopen/slave/sdo_server.hpp"

#include "tests/interfaces/canopen/bench.hpp"

#include <catch2/catch.hpp>

using namespace interfaces::canopen;
namespace can = interfaces::can;

namespace {

struct Booted : Bench {
    Booted() { run(60ms); }
};

}  // namespace

TEST_CASE_METHOD(Booted, "a number of up to four bytes is read at once") {
    CHECK(ask(upload({0x1000, 0})) == Bytes{0x43, 0x00, 0x10, 0x00, 0x94, 0x01, 0x02, 0x00});
    CHECK(ask(upload({0x1001, 0})) == Bytes{0x4F, 0x01, 0x10, 0x00, 0x00, 0x00, 0x00, 0x00});
    CHECK(ask(upload({0x2005, 0})) == Bytes{0x4B, 0x05, 0x20, 0x00, 0x05, 0x00, 0x00, 0x00});
}

TEST_CASE_METHOD(Booted, "a string is read in segments with an alternating toggle") {
    CHECK(ask(upload({0x1008, 0})) == Bytes{0x41, 0x08, 0x10, 0x00, 23, 0, 0, 0});
    CHECK(ask({0x60, 0, 0, 0, 0, 0, 0, 0}) == Bytes{0x00, 's', 'a', 'm', 'p', 'l', 'e', ' '});
    CHECK(ask({0x70, 0, 0, 0, 0, 0, 0, 0}) == Bytes{0x10, 'd', 'e', 'v', 'i', 'c', 'e', ' '});
    CHECK(ask({0x60, 0, 0, 0, 0, 0, 0, 0}) == Bytes{0x00, 'f', 'o', 'r', ' ', 't', 'e', 's'});
    CHECK(ask({0x70, 0, 0, 0, 0, 0, 0, 0}) == Bytes{0x1B, 't', 's', 0, 0, 0, 0, 0});
    CHECK(abort_in(ask({0x60, 0, 0, 0, 0, 0, 0, 0})) == Abort::unknown_command);
}

TEST_CASE_METHOD(Booted, "an empty string is a transfer of no bytes") {
    CHECK(ask({0x21, 0x06, 0x20, 0x00, 0, 0, 0, 0}) == Bytes{0x60, 0x06, 0x20, 0x00, 0, 0, 0, 0});
    CHECK(ask({0x0F, 0, 0, 0, 0, 0, 0, 0}) == Bytes{0x20, 0, 0, 0, 0, 0, 0, 0});
    CHECK(ask(upload({0x2006, 0})) == Bytes{0x41, 0x06, 0x20, 0x00, 0, 0, 0, 0});
    CHECK(ask({0x60, 0, 0, 0, 0, 0, 0, 0}) == Bytes{0x0F, 0, 0, 0, 0, 0, 0, 0});
}

TEST_CASE_METHOD(Booted, "a string is written in segments, with and without its size") {
    for (const std::uint8_t command : {0x21, 0x20}) {
        CHECK(ask({command, 0x06, 0x20, 0x00, static_cast<std::uint8_t>(command == 0x21 ? 9 : 0), 0, 0, 0})[0] == 0x60);
        CHECK(ask({0x00, 'a', 'b', 'c', 'd', 'e', 'f', 'g'}) == Bytes{0x20, 0, 0, 0, 0, 0, 0, 0});
        CHECK(ask({0x1B, 'h', 'i', 0, 0, 0, 0, 0}) == Bytes{0x30, 0, 0, 0, 0, 0, 0, 0});
        const auto text = value(slave.state.image, *device.dictionary.find({0x2006, 0}));
        CHECK(std::string(text.begin(), text.end()) == "abcdefghi");
    }
}

TEST_CASE_METHOD(Booted, "eight bytes are written in segments and read in segments") {
    CHECK(ask({0x21, 0x07, 0x20, 0x00, 8, 0, 0, 0})[0] == 0x60);
    CHECK(ask({0x00, 1, 2, 3, 4, 5, 6, 7})[0] == 0x20);
    CHECK(ask({0x1D, 8, 0, 0, 0, 0, 0, 0})[0] == 0x30);
    CHECK(number(slave.state.image, *device.dictionary.find({0x2007, 0})) == 0x0807060504030201);
    CHECK(ask(upload({0x2007, 0}))[0] == 0x41);
}

TEST_CASE_METHOD(Booted, "numbers are written at once, also without a size") {
    CHECK(write({0x2005, 0}, 7, 2) == Abort::none);
    CHECK(read({0x2005, 0}) == 7);
    CHECK(abort_in(ask({0x22, 0x05, 0x20, 0x00, 8, 0, 0xFF, 0xFF})) == Abort::none);
    CHECK(read({0x2005, 0}) == 8);
}

TEST_CASE_METHOD(Booted, "what is wrong with an access is said by its abort code") {
    CHECK(abort_of_read({0x2100, 0}) == Abort::no_object);
    CHECK(abort_of_read({0x2000, 1}) == Abort::no_sub_index);
    CHECK(abort_of_read({0x2004, 0}) == Abort::write_only);
    CHECK(write({0x1000, 0}, 0, 4) == Abort::read_only);
    CHECK(write({0x2000, 0}, 0, 2) == Abort::read_only);
    CHECK(write({0x2005, 0}, 0, 4) == Abort::too_long);
    CHECK(write({0x2005, 0}, 0, 1) == Abort::too_short);
    CHECK(write({0x2005, 0}, 11, 2) == Abort::too_high);
    CHECK(write({0x2005, 0}, 0xFFF5, 2) == Abort::too_low);
    CHECK(write({0x2005, 0}, 0xFFF6, 2) == Abort::none);
    CHECK(write({0x2008, 0}, 2, 1) == Abort::value);
    CHECK(write({0x1010, 1}, 0x12345678, 4) == Abort::cannot_store);
    CHECK(write({0x1011, 1}, 0x65766173, 4) == Abort::cannot_store);
    CHECK(write({0x1003, 0}, 1, 1) == Abort::value);
    CHECK(abort_in(ask({0x22, 0x07, 0x20, 0x00, 0, 0, 0, 0})) == Abort::length);
}

TEST_CASE_METHOD(Booted, "the abort names the object that was asked for") {
    CHECK(ask(upload({0x2100, 3})) == Bytes{0x80, 0x00, 0x21, 0x03, 0x00, 0x00, 0x02, 0x06});
}

TEST_CASE_METHOD(Booted, "block transfers and unknown commands are refused, so that clients fall back") {
    for (const std::uint8_t command : {0xA0, 0xC0, 0xE0})
        CHECK(abort_in(ask({command, 0x08, 0x10, 0x00, 0, 0, 0, 0})) == Abort::unknown_command);
    CHECK(abort_in(ask({0x00, 0, 0, 0, 0, 0, 0, 0})) == Abort::unknown_command);
}

TEST_CASE_METHOD(Booted, "a toggle that does not alternate ends a transfer") {
    ask(upload({0x1008, 0}));
    CHECK(ask({0x70, 0, 0, 0, 0, 0, 0, 0}) == Bytes{0x80, 0x08, 0x10, 0x00, 0x00, 0x00, 0x03, 0x05});
    CHECK(abort_in(ask({0x60, 0, 0, 0, 0, 0, 0, 0})) == Abort::unknown_command);
    ask({0x20, 0x06, 0x20, 0x00, 0, 0, 0, 0});
    CHECK(abort_in(ask({0x10, 'a', 0, 0, 0, 0, 0, 0})) == Abort::toggle);
}

TEST_CASE_METHOD(Booted, "more bytes than announced, or than there is room for, are refused") {
    ask({0x21, 0x06, 0x20, 0x00, 9, 0, 0, 0});
    CHECK(abort_in(ask({0x01, 'a', 'b', 'c', 'd', 'e', 'f', 'g'})) == Abort::length);
    CHECK(abort_in(ask({0x21, 0x06, 0x20, 0x00, 0xFF, 0xFF, 0xFF, 0xFF})) == Abort::too_long);
    ask({0x20, 0x05, 0x20, 0x00, 0, 0, 0, 0});
    CHECK(abort_in(ask({0x00, 1, 2, 3, 4, 5, 6, 7})) == Abort::too_long);
}

TEST_CASE_METHOD(Booted, "a transfer that is not continued is aborted after a second") {
    ask(upload({0x1008, 0}));
    CHECK(slave.due() == now + 1s);
    CHECK(run(999ms).empty());
    REQUIRE(run(1ms).size() == 1);
    CHECK(sent[0].id == 0x585);
    CHECK(bytes_of(sent[0]) == Bytes{0x80, 0x08, 0x10, 0x00, 0x00, 0x00, 0x04, 0x05});
}

TEST_CASE_METHOD(Booted, "a new request replaces a transfer, an abort ends it silently, short frames are ignored") {
    ask(upload({0x1008, 0}));
    CHECK(read({0x1000, 0}) == 0x00020194);
    ask(upload({0x1008, 0}));
    CHECK(tell(0x605, {0x80, 0x08, 0x10, 0x00, 0, 0, 0, 0}).empty());
    CHECK(tell(0x605, {0x40, 0x00, 0x10}).empty());
    can::Frame wrong = frame(0x605, upload({0x1000, 0}));
    wrong.extended = true;
    sent.clear();
    slave.receive(wrong, now, sent);
    CHECK(sent.empty());
}
