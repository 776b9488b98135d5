#include "interfaces/can/hex.hpp"
#include "interfaces/can/multicast_datagram.hpp"
#include "interfaces/can/slcan.hpp"
#include "interfaces/can/socketcan.hpp"
#include "interfaces/can/transport.hpp"
#include "tests/interfaces/can/fuzz_can.hpp"
#include "tests/support/mutations.hpp"

#include <catch2/catch.hpp>

using namespace interfaces::can;

namespace {

Frame frame_of(std::uint32_t id, std::vector<std::uint8_t> data, bool extended = false, bool fd = false) {
    Frame frame{.id = id, .extended = extended, .fd = fd, .size = static_cast<std::uint8_t>(data.size())};
    std::copy(data.begin(), data.end(), frame.data.begin());
    return frame;
}

const std::vector<Frame> samples{frame_of(0x181, {1, 2, 3, 4, 5, 6, 7, 8}),
                                 frame_of(0x18FEF1FE, {0xFF}, true),
                                 frame_of(0x7FF, {}),
                                 {.id = 0x123, .remote = true, .size = 4},
                                 {.id = 0x1FFFFFFF, .extended = true, .remote = true, .size = 8},
                                 frame_of(0x100, std::vector<std::uint8_t>(48, 0xA5), false, true)};

std::string bytes_of_hex(std::string text) {
    std::erase(text, ' ');
    std::string bytes(text.size() / 2, '\0');
    REQUIRE(hex_bytes(text, std::span(reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size())));
    return bytes;
}

/// What python-can 4.1 sends for identifier 0x181 and the data "12345678".
const std::string python_datagram =
    "8b a974696d657374616d70 cb0000000000000000 ae6172626974726174696f6e5f6964 cd0181"
    "ae69735f657874656e6465645f6964 c2 af69735f72656d6f74655f6672616d65 c2"
    "ae69735f6572726f725f6672616d65 c2 a76368616e6e656c c0 a3646c63 08 a464617461 c4083132333435363738"
    "a569735f6664 c2 ae626974726174655f737769746368 c2 b56572726f725f73746174655f696e64696361746f72 c2";

}  // namespace

TEST_CASE("a frame is written to a datagram as python-can does, and read back") {
    std::vector<std::uint8_t> bytes;
    write_datagram(frame_of(0x181, {'1', '2', '3', '4', '5', '6', '7', '8'}), bytes);
    CHECK(std::string(bytes.begin(), bytes.end()) == bytes_of_hex(python_datagram));
    for (const Frame& frame : samples) {
        write_datagram(frame, bytes);
        CHECK(read_datagram(bytes) == frame);
        bytes.pop_back();
        CHECK_FALSE(read_datagram(bytes));
    }
}

TEST_CASE("a datagram may leave out what has a usual value, and order and widths do not matter") {
    const auto read = [](const std::string& hex) {
        const std::string bytes = bytes_of_hex(hex);
        return read_datagram(tests::bytes_of(bytes));
    };
    // {data: bin, arbitration_id: uint64, is_extended_id: false}
    CHECK(read("83 a464617461 c402abcd ae6172626974726174696f6e5f6964 cf0000000000000042 "
               "ae69735f657874656e6465645f6964 c2") == frame_of(0x42, {0xAB, 0xCD}));
    // {arbitration_id: float64 66}, extended by default
    CHECK(read("81 ae6172626974726174696f6e5f6964 cb4050800000000000") == frame_of(0x42, {}, true));
    CHECK_FALSE(read("81 ae6172626974726174696f6e5f6964 cb4050880000000000"));      // 66.125
    CHECK_FALSE(read("82 ae6172626974726174696f6e5f6964 42 a464617461 a3616263"));  // data as text
    CHECK_FALSE(read("82 ae6172626974726174696f6e5f6964 42 a3646c63 05"));          // size without data
    CHECK_FALSE(read("80"));
    CHECK_FALSE(read("93010203"));
}

TEST_CASE("frames on a serial line") {
    CHECK(slcan_line(samples[0]) == "t18180102030405060708");
    CHECK(slcan_line(samples[1]) == "T18FEF1FE1FF");
    CHECK(slcan_line(samples[3]) == "r1234");
    CHECK(slcan_line({.error = true}).empty());
    for (const Frame& frame : samples) CHECK(slcan_frame(slcan_line(frame)) == frame);
    CHECK(slcan_frame("t18180102030405060708EA5F") == samples[0]);  // with a time stamp
    CHECK_FALSE(slcan_frame("t1818010203"));
    CHECK_FALSE(slcan_frame("t8001AA"));
    CHECK_FALSE(slcan_frame("t1819010203040506070809"));
    CHECK_FALSE(slcan_frame("t18g0"));
    CHECK(slcan_rate(250000) == '5');
    CHECK_FALSE(slcan_rate(83333));
}

TEST_CASE("an adapter answers its host and sends only what may be sent") {
    SlcanAdapter adapter;
    std::vector<Frame> sent;
    const auto answer = [&](const std::string& text) {
        std::string out;
        for (const char letter : text)
            if (const auto frame = adapter.take(letter, out)) sent.push_back(*frame);
        return out;
    };
    CHECK(answer("C\rS5\r\rY2\r") == "\r\r\r\r");
    CHECK(answer("t12301\r") == "\a");
    CHECK(sent.empty());
    CHECK(answer("Z1\rO\rO\r") == "\r\r\r");
    CHECK(answer("t1231AA\rT18FEF1FE1FF\r") == "z\rZ\r");
    CHECK(sent == std::vector<Frame>{frame_of(0x123, {0xAA}), samples[1]});
    CHECK(answer("V\rN\rF\r") == "V1013\rNT001\rF00\r");
    CHECK(answer("S5\rQ\rt12\r") == "\a\a\a");
    std::string out;
    adapter.append(samples[0], 61234'000'000LL, out);
    CHECK(out == "t1818010203040506070804D2\r");
    CHECK(answer(std::string(1000, 't') + "\rC\rL\rt1230\r") == "\a\r\r\a");
    CHECK(adapter.is_open());
}

TEST_CASE("frames of the kernel, and what its error frames report") {
    for (const Frame& frame : samples) {
        const KernelFrame bytes = kernel_frame(frame);
        CHECK(bytes.size == (frame.fd ? 72 : 16));
        CHECK(frame_of_kernel(std::span(bytes.bytes).first(bytes.size)) == frame);
    }
    CHECK_FALSE(frame_of_kernel(std::vector<std::uint8_t>(15)));
    std::vector<std::uint8_t> too_long(16);
    too_long[4] = 9;
    CHECK_FALSE(frame_of_kernel(too_long));
    Frame error{.id = 0x4, .error = true, .size = 8};
    error.data[1] = 0x20;
    CHECK(reported_state(error) == BusState::error_passive);
    error.data[1] = 0x08;
    CHECK(reported_state(error) == BusState::error_warning);
    error.data[1] = 0x01;
    CHECK_FALSE(reported_state(error));
    CHECK(description_of_error(error) == "controller, overrun");
    error.id = 0x40;
    CHECK(reported_state(error) == BusState::bus_off);
    CHECK(description_of_error(error) == "bus off, now bus off");
    error.id = 0x100;
    CHECK(reported_state(error) == BusState::error_active);
}

TEST_CASE("only frames that could be on a bus are valid") {
    CHECK(is_valid({.id = 0x7FF}));
    CHECK_FALSE(is_valid({.id = 0x800}));
    CHECK_FALSE(is_valid({.id = 0x20000000, .extended = true}));
    CHECK_FALSE(is_valid({.id = 1, .size = 9}));
    CHECK_FALSE(is_valid({.id = 1, .fd = true, .size = 9}));
    CHECK(is_valid({.id = 1, .fd = true, .size = 12}));
    CHECK_FALSE(is_valid({.id = 1, .remote = true, .fd = true}));
}

TEST_CASE("no bytes make the readers of frames crash") {
    std::vector<tests::Bytes> kernel, lines, datagrams;
    for (const Frame& frame : samples) {
        const KernelFrame bytes = kernel_frame(frame);
        kernel.emplace_back(bytes.bytes.begin(), bytes.bytes.begin() + static_cast<std::ptrdiff_t>(bytes.size));
        lines.push_back(tests::bytes_of("C\rO\r" + slcan_line(frame) + "\rF\r"));
        tests::Bytes datagram;
        write_datagram(frame, datagram);
        datagrams.push_back(datagram);
    }
    tests::fuzz(kernel, 30000, tests::fuzz_kernel_frame);
    tests::fuzz(lines, 30000, tests::fuzz_slcan);
    tests::fuzz(datagrams, 30000, tests::fuzz_datagram);
}
