#include "interfaces/can_mapping/mapping.hpp"

#include "interfaces/dbc/plan.hpp"
#include "interfaces/dbc/read.hpp"
#include "tests/interfaces/can_mapping/fuzz_mapping.hpp"
#include "tests/support/mutations.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

using namespace interfaces;
using can_mapping::Mapping;

namespace {

const std::string folder = std::string(TANDEM_TEST_DATA) + "/../config/can/";

const dbc::Database& small() {
    static const dbc::Database database = dbc::read(
        "BU_: A B\nBO_ 1 Order: 8 A\n SG_ Sum : 0|8@1+ (1,0) [0|0] \"\" B\n SG_ Alive : 8|4@1+ (1,0) [0|0] \"\" B\n"
        " SG_ Speed : 16|16@1+ (1,0) [0|0] \"\" B\n SG_ Wide : 36|8@1+ (1,0) [0|0] \"\" B\n"
        "BO_ 2 Other: 8 A\n SG_ Value : 0|8@1+ (1,0) [0|0] \"\" B\n",
        "small.dbc");
    return database;
}

std::string failure(const std::string& inner) {
    const std::string text =
        "<CanMapping xmlns=\"urn:tandem:can:1\" database=\"small.dbc\">\n" + inner + "\n</CanMapping>";
    try {
        static_cast<void>(can_mapping::read(text, "m.xml", small()));
    } catch (const can_mapping::Error& error) {
        return error.what();
    }
    return "read";
}

std::string message(const std::string& inner) { return "<Message name=\"Order\">\n" + inner + "</Message>"; }

}  // namespace

TEST_CASE("the mapping of the control bus fits its database") {
    const Mapping mapping = can_mapping::read_file(folder + "control.xml");
    CHECK(mapping.database.remarks.empty());
    REQUIRE(mapping.messages.size() == 5);
    REQUIRE(mapping.sets.size() == 1);
    CHECK(mapping.sets[0].members == std::vector<std::size_t>{1, 2, 3});
    const can_mapping::MessageMap& control = mapping.messages[0];
    CHECK(control.protection.kind == e2e::Kind::profile_1);
    CHECK(control.protection.data_id == 0x100);
    CHECK(control.protection.checksum_byte == 0);
    CHECK(control.protection.counter_byte == 1);
    CHECK(control.limits.timeout == 0.1);
    CHECK(control.signals[0].connector == "enable");
    // Every signal is either a connector or part of the protection: none is sent with a value that nobody chose.
    for (const auto& map : mapping.messages)
        CHECK(map.signals.size() + 2 == mapping.database.messages[map.message].signals.size());
}

TEST_CASE("a trajectory point goes through frames and back") {
    const Mapping mapping = can_mapping::read_file(folder + "control.xml");
    const can_mapping::MessageMap& map = mapping.messages[3];
    const dbc::Message& travel = mapping.database.messages[map.message];
    const dbc::MessagePlan plan(travel);
    std::array<std::uint8_t, 8> bytes{};
    const std::array<double, 5> values{0, 0, 0.1, 0.13, -12.34567};
    REQUIRE(plan.encode(values, bytes));
    e2e::protect(map.protection, 7, bytes);
    CHECK(e2e::is_intact(map.protection, bytes));
    std::array<double, 5> back{};
    REQUIRE(plan.decode(bytes, back));
    CHECK(back[1] == 7);
    CHECK(back[2] == Approx(0.1).margin(0.5e-3));
    CHECK(back[3] == Approx(0.13).margin(1e-5));
    CHECK(back[4] == Approx(-12.34567).margin(0.5e-5));
}

TEST_CASE("a wrong mapping is told by line, with the closest name") {
    CHECK(failure("<Message name=\"Ordr\"/>") == "m.xml:2: small.dbc has no message 'Ordr'; did you mean 'Order'?");
    CHECK(failure(message("<Signal name=\"Sped\" connector=\"v\"/>")) ==
          "m.xml:3: message 'Order' has no signal 'Sped'; did you mean 'Speed'?");
    CHECK(failure(message("<Protection kind=\"xr\" checksum=\"Sum\"/>")) ==
          "m.xml:3: 'kind' of <Protection> is 'xr'; did you mean 'xor'?");
    CHECK(failure(message("<Protection kind=\"xor\" checksum=\"Wide\"/>")) ==
          "m.xml:3: the checksum 'Wide' must lie in one byte and in every frame; it has start bit 36 and 8 bits");
    CHECK(failure(message("<Protection kind=\"xor\" checksum=\"Alive\"/>")) ==
          "m.xml:3: the checksum 'Alive' has 4 bits, expected 8");
    CHECK(failure(message("<Protection kind=\"e2e-profile-1\" checksum=\"Sum\" counter=\"Alive\"/>")) ==
          "m.xml:3: e2e-profile-1 needs a 'dataId'");
    CHECK(failure(message("<Protection kind=\"e2e-profile-2\" checksum=\"Sum\" counter=\"Alive\" dataIds=\"1 2\"/>")) ==
          "m.xml:3: 'dataIds' of <Protection> has 2 numbers, expected 16");
    CHECK(failure(message("<Protection kind=\"sum\" checksum=\"Sum\" dataId=\"0x10000\"/>")) ==
          "m.xml:3: 'dataId' of <Protection> is '0x10000', expected a number from 0 to 65535");
    CHECK(failure(message("<Protection kind=\"sum\" checksum=\"Sum\"/>\n<Signal name=\"Sum\" connector=\"x\"/>")) ==
          "m.xml:4: signal 'Sum' belongs to the protection and is no connector");
    CHECK(failure(message("<Signal name=\"Speed\" connector=\"v\" gian=\"2\"/>")) ==
          "m.xml:3: <Signal> has no attribute 'gian'; did you mean 'gain'?");
    CHECK(failure(message("<Signl name=\"Speed\" connector=\"v\"/>")) ==
          "m.xml:3: unknown element <Signl>; did you mean 'Signal'?");
    CHECK(failure(message("<Signal name=\"Speed\" connector=\"v\"/>\n<Signal name=\"Wide\" connector=\"v\"/>")) ==
          "m.xml:2: connector 'v' has two signals from the same sender");
    CHECK(failure(message("") + "\n<Message name=\"Other\"/>\n<Set name=\"s\">\n<Member message=\"Order\"/></Set>") ==
          "m.xml:6: message 'Order' has no counter, so it is no member of a set");
    CHECK(failure("<Message name=\"Order\" timeout=\"-1\"/>") ==
          "m.xml:2: 'timeout' of <Message> is -1, expected more than 0");
    CHECK(failure("<Message name=\"Order\" source=\"3\"/>") ==
          "m.xml:2: message 'Order' is no J1939 message and has no 'source'");
    CHECK(failure("") == "m.xml:1: the mapping has no <Message>");
}

TEST_CASE("a message that no frame carries is refused instead of losing its signals") {
    const auto failure_of = [](int size, const std::string& rest) {
        const std::string text =
            "BU_: A B\nBO_ 2147483649 Big: " + std::to_string(size) + " A\n SG_ V : 0|8@1+ (1,0) [0|0] \"\" B\n" + rest;
        try {
            static_cast<void>(can_mapping::read(
                "<CanMapping xmlns=\"urn:tandem:can:1\" database=\"big.dbc\">\n<Message name=\"Big\"/></CanMapping>",
                "m.xml", dbc::read(text, "big.dbc")));
        } catch (const can_mapping::Error& error) {
            return std::string(error.what());
        }
        return std::string("read");
    };
    const std::string j1939 =
        "BA_DEF_ BO_ \"VFrameFormat\" ENUM \"StandardCAN\",\"ExtendedCAN\",\"reserved\",\"J1939PG\";\n"
        "BA_ \"VFrameFormat\" BO_ 2147483649 3;\n";
    const auto told = [](int size) {
        return "m.xml:2: message 'Big' (big.dbc:2) has " + std::to_string(size) +
               " bytes, expected what one frame carries: at most 8, or 12, 16, 20, 24, 32, 48 or 64 with FD";
    };
    for (const int size : {65, 9, 63}) CHECK(failure_of(size, "") == told(size));
    for (const int size : {1, 8, 12, 64}) CHECK(failure_of(size, "") == "read");
    CHECK(failure_of(8, j1939) == "read");
    CHECK(failure_of(12, j1939) == told(12));  // of a transport protocol
}

TEST_CASE("no bytes make the reader of mapping files crash") {
    std::ifstream file(folder + "control.xml");
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const dbc::Database database = dbc::read_file(folder + "control.dbc");
    const std::vector<tests::Bytes> samples{tests::bytes_of(text)};
    tests::fuzz(samples, 3000, [&](std::span<const std::uint8_t> bytes) { tests::fuzz_mapping(database, bytes); });
}
