#include "interfaces/can/timing.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

using namespace interfaces::can;

namespace {

Frame frame_of(std::uint32_t id, const std::vector<std::uint8_t>& data) {
    Frame frame{.id = id, .size = static_cast<std::uint8_t>(data.size())};
    std::copy(data.begin(), data.end(), frame.data.begin());
    return frame;
}

std::string binary(std::uint32_t value, int digits) {
    std::string text;
    for (int i = digits - 1; i >= 0; --i) text += (value >> i & 1U) != 0 ? '1' : '0';
    return text;
}

/// The remainder of the division by the generator polynomial, as one does it on paper.
std::string remainder(std::string text) {
    const std::string generator = "1100010110011001";
    const std::size_t length = text.size();
    text += std::string(15, '0');
    for (std::size_t i = 0; i < length; ++i)
        if (text[i] == '1')
            for (std::size_t k = 0; k < generator.size(); ++k) text[i + k] = text[i + k] == generator[k] ? '0' : '1';
    return text.substr(length);
}

std::size_t stuffed_length(const std::string& text) {
    std::string wire;
    for (const char bit : text) {
        wire += bit;
        if (wire.ends_with(std::string(5, bit)) && !wire.ends_with(std::string(6, bit))) wire += bit == '0' ? '1' : '0';
    }
    return wire.size();
}

std::size_t bits_on_paper(const Frame& frame) {
    std::string text = "0";
    const std::string remote = frame.remote ? "1" : "0";
    if (frame.extended)
        text += binary(frame.id >> 18, 11) + "11" + binary(frame.id & 0x3FFFFU, 18) + remote + "00";
    else
        text += binary(frame.id, 11) + remote + "00";
    text += binary(frame.size, 4);
    for (const std::uint8_t byte : frame.bytes()) text += binary(byte, 8);
    return stuffed_length(text + remainder(text)) + 10;
}

}  // namespace

TEST_CASE("frames without stuff bits have the lengths of the standard") {
    // 0x555 and 0xAA.. alternate; what is left to stuff is the checksum's.
    const Frame frame = frame_of(0x555, {0xAA, 0xAA});
    CHECK(bit_count(frame).nominal == bits_on_paper(frame));
    CHECK(bit_count(frame).nominal >= 44 + 16);
    CHECK(bit_count(frame).nominal <= 44 + 16 + 3);
}

TEST_CASE("the longest frame is as long as the worst case says") {
    // Davis et al., Controller Area Network schedulability analysis, 2007: 34 + 8 n stuffed bits, one more after each
    // four.
    std::mt19937 random(7);
    std::uint32_t longest = 0;
    for (int round = 0; round < 20'000; ++round) {
        Frame frame = frame_of(round % 2 == 0 ? 0x000 : 0x7E0, std::vector<std::uint8_t>(8, 0));
        for (std::uint8_t& byte : frame.data) byte = random() % 4 == 0 ? 0x3C : random() % 2 == 0 ? 0x00 : 0xFF;
        longest = std::max(longest, bit_count(frame).nominal);
    }
    CHECK(longest > 44 + 64 + 16);
    CHECK(longest <= 44 + 64 + (34 + 64 - 1) / 4);
}

TEST_CASE("bit counts agree with frames written out on paper") {
    std::mt19937 random(11);
    for (int round = 0; round < 3'000; ++round) {
        Frame frame{.extended = random() % 2 == 0, .remote = random() % 8 == 0};
        frame.id = static_cast<std::uint32_t>(random() & (frame.extended ? 0x1FFF'FFFFU : 0x7FFU));
        frame.size = static_cast<std::uint8_t>(random() % 9);
        if (!frame.remote)
            for (std::size_t i = 0; i < frame.size; ++i)
                frame.data[i] = static_cast<std::uint8_t>(random() % 3 == 0 ? 0 : random());
        if (bit_count(frame).nominal != bits_on_paper(frame)) FAIL("id " << frame.id << " size " << int{frame.size});
    }
}

TEST_CASE("the fast part of an FD frame is counted by itself") {
    Frame frame = frame_of(0x555, {0xAA});
    frame.fd = frame.bit_rate_switch = true;
    // Slow: start, identifier, RRS, IDE, FDF, reserved, BRS; acknowledge slot and delimiter, end of frame.
    // Fast: ESI, length code, data, stuff count, checksum of 17 bits, six fixed stuff bits, delimiter.
    const BitCount bits = bit_count(frame);
    CHECK(bits.nominal == 1 + 11 + 5 + 9);
    CHECK(bits.fast == 1 + 4 + 8 + 4 + 17 + 6 + 1);
    frame.bit_rate_switch = false;
    frame.error_state = true;  // no five equal bits here either
    CHECK(bit_count(frame) == BitCount{.nominal = bits.nominal + bits.fast});
    frame = frame_of(0x555, std::vector<std::uint8_t>(64, 0xAA));
    frame.fd = frame.bit_rate_switch = true;
    CHECK(bit_count(frame).fast == 1 + 4 + 512 + 4 + 21 + 7 + 1 + 1);  // length code 1111 and a 1: one stuff bit
}

TEST_CASE("bits take whole nanoseconds at the usual rates") {
    CHECK(duration({.nominal = 111}, {.nominal = 250'000}) == 444'000);
    CHECK(duration({.nominal = 26, .fast = 41}, {.nominal = 500'000, .fast = 2'000'000}) == 52'000 + 20'500);
    CHECK(duration({.nominal = 10, .fast = 10}, {.nominal = 1'000'000}) == 20'000);
    CHECK(duration({.nominal = 1}, {.nominal = 83'333}) == 12'000);
}
