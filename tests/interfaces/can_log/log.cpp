#include "interfaces/can_log/log.hpp"

#include "interfaces/can/transport.hpp"
#include "interfaces/can_log/log_file.hpp"
#include "tests/interfaces/can_log/fuzz_log.hpp"
#include "tests/support/mutations.hpp"

#include <catch2/catch.hpp>
#include <fstream>

using namespace interfaces::can_log;
using interfaces::can::Frame;

namespace {

const std::vector<Entry> entries{
    {.nanoseconds = 1436509052'249713000, .frame = {.id = 0x44, .size = 5, .data = {0x2A, 0x36, 0x6C, 0x2B, 0xBA}}},
    {.nanoseconds = 1436509052'449713000,
     .frame = {.id = 0x18FEF1FE, .extended = true, .size = 1, .data = {0xFF}},
     .sent = true},
    {.nanoseconds = 1436509053'000001000, .channel = "can1", .frame = {.id = 0x123, .remote = true, .size = 4}},
    {.nanoseconds = 1436509053'000002000,
     .frame = {.id = 0x7FF, .fd = true, .bit_rate_switch = true, .size = 12, .data = {1, 2, 3}}},
};

const std::string candump =
    "(1436509052.249713) can0 044#2A366C2BBA\n(1436509052.449713) can0 18FEF1FE#FF T\n(1436509053.000001) can1 123#R4\n"
    "(1436509053.000002) can0 7FF##1010203000000000000000000\n";

Entry candump_of(const std::string& line) {
    Entry entry;
    REQUIRE(read_candump(line, entry) == Line::frame);
    return entry;
}

const std::string asc = R"(date Sat Sep 30 15:06:13.191 2017
base hex  timestamps absolute
internal events logged
// version 9.0.0
Begin Triggerblock Sat Sep 30 15:06:13.191 2017
   0.000000 Start of measurement
   0.015991 CAN 1 Status:chip status error active
   0.015991 1  Statistic: D 0 R 0 XD 0 XR 0 E 0 O 0 B 0.00%
   1.015991 2  18EBFF00x       Rx   d 8 01 A0 0F A6 60 3B D1 40  Length = 273910 BitCount = 141 ID = 418119424x
   2.500700 1  7B              TxRq r 3
   2.501000 1  7B              Tx   r 3
   2.501010 1  ErrorFrame
   3.098426 CANFD   1 Rx   18EE88FEx                    J1939TP 1 0 a 16 A0 0F A6 60 3B D1 40 1f de 80 01 02 03 04 05 06   112012  130 223040 80006d5e 4a500150 4b140250 2001000c 20011736
End TriggerBlock
)";

std::vector<Entry> read_asc(const std::string& text, std::size_t& malformed) {
    std::vector<Entry> found;
    AscReader reader;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        Entry entry;
        const Line kind = reader.read(line, entry);
        if (kind == Line::frame) found.push_back(entry);
        if (kind == Line::malformed) ++malformed;
    }
    return found;
}

}  // namespace

TEST_CASE("a log of candump is read and written") {
    std::string written;
    for (const Entry& entry : entries) write_candump(entry, written);
    CHECK(written == candump);
    std::istringstream lines(candump);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        std::string line;
        std::getline(lines, line);
        CHECK(candump_of(line) == entries[i]);
    }
}

TEST_CASE("what candump shows on the screen is read, too") {
    const Frame frame{.id = 0x123, .size = 2, .data = {0x11, 0x22}};
    CHECK(candump_of("  vcan0  123   [2]  11 22").frame == frame);
    CHECK(candump_of(" (1.5)  vcan0  123   [2]  11 22").nanoseconds == 1500000000);
    CHECK(candump_of(" (1.5)  vcan0  TX - -  123   [2]  11 22").sent);
    CHECK(candump_of("  vcan0  18FEF1FE   [0]").frame == Frame{.id = 0x18FEF1FE, .extended = true});
    CHECK(candump_of("  vcan0  123   [4]  remote request").frame == Frame{.id = 0x123, .remote = true, .size = 4});
    CHECK(candump_of("  vcan0  123   [02]  11 22").frame ==
          Frame{.id = 0x123, .fd = true, .size = 2, .data = {0x11, 0x22}});
    CHECK(candump_of("(0.1) can0 20000080#0000000000000000").frame == Frame{.id = 0x80, .error = true, .size = 8});
}

TEST_CASE("lines of candump that are no frames are told apart") {
    Entry entry;
    CHECK(read_candump("", entry) == Line::other);
    CHECK(read_candump("(1.0 can0 123#", entry) == Line::malformed);
    CHECK(read_candump("(1.0) can0 12#11", entry) == Line::malformed);
    CHECK(read_candump("(1.0) can0 123#111", entry) == Line::malformed);
    CHECK(read_candump("(1.0) can0 123#112233445566778899", entry) == Line::malformed);
    CHECK(read_candump("(1.0) can0 FFF#11", entry) == Line::malformed);
    CHECK(read_candump("(99999999999999.0) can0 123#11", entry) == Line::malformed);
    CHECK(read_candump("(9000000000.000000001) can0 123#11", entry) == Line::malformed);
}

TEST_CASE("an ASC file is read: classic, remote, error and FD frames") {
    std::size_t malformed = 0;
    const std::vector<Entry> found = read_asc(asc, malformed);
    CHECK(malformed == 0);
    REQUIRE(found.size() == 4);
    CHECK(found[0] == Entry{.nanoseconds = 1015991000,
                            .channel = "can1",
                            .frame = {.id = 0x18EBFF00,
                                      .extended = true,
                                      .size = 8,
                                      .data = {0x01, 0xA0, 0x0F, 0xA6, 0x60, 0x3B, 0xD1, 0x40}}});
    CHECK(found[1].frame == Frame{.id = 0x7B, .remote = true, .size = 3});
    CHECK(found[1].sent);
    CHECK(found[2].frame.error);
    CHECK(found[3].frame.fd);
    CHECK(found[3].frame.bit_rate_switch);
    CHECK(found[3].frame.size == 16);
    CHECK(found[3].frame.data[15] == 6);
}

TEST_CASE("decimal numbers and times from line to line") {
    std::size_t malformed = 0;
    const std::vector<Entry> found =
        read_asc("base dec  timestamps relative\n0.5 1  123  Rx  d 2 255 16\n0.25 1 124 Rx d 1 7\n0.1 1 5 Rx d 1 256\n",
                 malformed);
    REQUIRE(found.size() == 2);
    CHECK(malformed == 1);
    CHECK(found[0].frame == Frame{.id = 123, .size = 2, .data = {255, 16}});
    CHECK(found[1].nanoseconds == 750000000);
}

TEST_CASE("the latest time is rounded to one that can be read") {
    Entry entry, again;
    REQUIRE(read_candump("(8999999999.9999999) can0 123#11", entry) == Line::frame);
    std::string line;
    write_candump(entry, line);
    CHECK(line == "(9000000000.000000) can0 123#11\n");
    CHECK(read_candump(line, again) == Line::frame);
}

TEST_CASE("times from line to line that add up to more than a time can be are malformed") {
    std::size_t malformed = 0;
    const std::string line = "9000000000.0 1 123 Rx d 1 07\n";
    const std::vector<Entry> found = read_asc("base hex  timestamps relative\n" + line + line, malformed);
    REQUIRE(found.size() == 1);
    CHECK(found[0].nanoseconds == 9'000'000'000'000'000'000);
    CHECK(malformed == 1);
}

TEST_CASE("what is written as ASC is read back") {
    std::string text;
    write_asc_head(1506783973, text);
    CHECK(text.starts_with("date Sat Sep 30 15:06:13.000 2017\n"));
    for (const Entry& entry : entries) write_asc(entry, text);
    write_asc({.frame = {.error = true}}, text);
    write_asc_end(text);
    std::size_t malformed = 0;
    const std::vector<Entry> found = read_asc(text, malformed);
    CHECK(malformed == 0);
    REQUIRE(found.size() == entries.size() + 1);
    for (std::size_t i = 0; i < entries.size(); ++i) CHECK(found[i] == entries[i]);
}

TEST_CASE("a log on disk is known by its first lines") {
    const std::string path = std::string(TANDEM_BUILD_DIR) + "/can_log_test.log";
    const auto write = [&](const std::string& text) { std::ofstream(path) << text; };
    write("\n" + candump + "(7.0) can0 no frame\n");
    LogFile dump(path);
    std::size_t count = 0;
    while (dump.next()) ++count;
    CHECK(count == 4);
    CHECK(dump.malformed() == 1);
    CHECK(dump.first_malformed_line() == 6);
    write(asc);
    LogFile vector(path);
    CHECK(vector.is_asc());
    CHECK(vector.next()->nanoseconds == 1015991000);
    write("hello\n");
    CHECK_THROWS_WITH(LogFile(path), path + ":1: found 'hello', expected a log of candump -L or an ASC file");
    CHECK_THROWS_AS(LogFile("/nonexistent"), interfaces::can::Error);
    std::remove(path.c_str());
}

TEST_CASE("no bytes make the readers of logs crash") {
    const std::vector<tests::Bytes> dumps{tests::bytes_of(candump), tests::bytes_of("  vcan0  123   [2]  11 22\n")};
    tests::fuzz(dumps, 20000, tests::fuzz_candump);
    const std::vector<tests::Bytes> ascs{tests::bytes_of(asc), tests::bytes_of("0.5 1  123  Rx  d 2 255 16\n")};
    tests::fuzz(ascs, 5000, tests::fuzz_asc);
}
