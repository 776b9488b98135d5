#include "interfaces/can/timing.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <string>

using namespace interfaces::can;

namespace {

void append(std::string& bits, std::uint64_t value, int width) {
    for (int i = width; i-- > 0;) bits += (value >> i) & 1 ? '1' : '0';
}

/// Polynomial division of the whole bit string, another way than the register of the code under test.
std::string crc15(std::string bits) {
    const std::string polynomial = "1100010110011001";
    bits += std::string(15, '0');
    for (std::size_t i = 0; i + 15 < bits.size(); ++i)
        if (bits[i] == '1')
            for (std::size_t k = 0; k < 16; ++k) bits[i + k] = bits[i + k] == polynomial[k] ? '0' : '1';
    return bits.substr(bits.size() - 15);
}

std::string stuffed(const std::string& bits) {
    std::string sent;
    for (const char bit : bits) {
        sent += bit;
        const std::size_t n = sent.size();
        if (n >= 5 && sent.substr(n - 5) == std::string(5, bit)) sent += bit == '1' ? '0' : '1';
    }
    return sent;
}

std::string classic_bits_of(const Frame& frame) {
    std::string bits = "0";
    if (frame.extended) {
        append(bits, frame.id >> 18, 11);
        bits += "11";
        append(bits, frame.id & 0x3FFFF, 18);
        bits += frame.remote ? "1" : "0";
        bits += "00";
    } else {
        append(bits, frame.id, 11);
        bits += frame.remote ? "1" : "0";
        bits += "00";
    }
    append(bits, frame.size, 4);
    for (const std::uint8_t byte : frame.bytes()) append(bits, byte, 8);
    return bits + crc15(bits);
}

Frame random_frame(std::mt19937& random) {
    Frame frame{.extended = random() % 2 == 0, .remote = random() % 8 == 0, .size = std::uint8_t(random() % 9)};
    frame.id = random() & (frame.extended ? 0x1FFFFFFFu : 0x7FFu);
    // Long runs of equal bits, so that there is something to stuff.
    for (std::size_t i = 0; i < frame.size; ++i)
        frame.data[i] = std::uint8_t(random() % 3 == 0 ? random() : random() % 2 == 0 ? 0x00 : 0xFF);
    return frame;
}

}  // namespace

TEST_CASE("a classic frame has the bits of its stuffed bit string") {
    std::mt19937 random(1);
    for (int i = 0; i < 2000; ++i) {
        const Frame frame = random_frame(random);
        REQUIRE(bit_count(frame) == stuffed(classic_bits_of(frame)).size() + 10);
    }
}

TEST_CASE("a classic frame stays within the bounds of Davis et al. 2007, equation 1") {
    std::mt19937 random(2);
    for (int i = 0; i < 2000; ++i) {
        const Frame frame = random_frame(random);
        const std::uint32_t head = frame.extended ? 54 : 34, bytes = std::uint32_t(frame.bytes().size());
        const std::uint32_t least = head + 10 + 8 * bytes, most = least + (head + 8 * bytes - 1) / 4;
        CHECK(bit_count(frame) >= least);
        CHECK(bit_count(frame) <= most);
    }
}

TEST_CASE("the space between frames and the bit rate make the time of a frame") {
    const Frame frame{.id = 0x555, .size = 2, .data = {0x55, 0x55}};
    const std::uint32_t bits = bit_count(frame);
    CHECK(duration(bit_counts(frame), {.nominal = 250'000}) == bits * 4'000);
    CHECK(interframe_bits == 3);
}

TEST_CASE("an FD frame has fixed stuff bits in its CRC field") {
    Frame frame{.id = 0x555, .fd = true, .size = 8};
    frame.data.fill(0x55);
    // SOF 1, id 11, RRS, IDE, FDF, res, BRS, ESI 6, DLC 4, data 64, CRC field 27, trailer 10; the dominant ESI, BRS,
    // res and the code 1000 hold no five equal bits in a row.
    CHECK(bit_count(frame) == 1 + 11 + 6 + 4 + 64 + 27 + 10);
    frame.size = 20;
    CHECK(bit_count(frame) == 1 + 11 + 6 + 4 + 160 + 32 + 10);
    frame.bit_rate_switch = true;
    CHECK(bit_counts(frame) == BitCount{1 + 11 + 5 + 9, 1 + 4 + 160 + 32 + 1});
    CHECK(duration(bit_counts(frame), {.nominal = 500'000, .data = 2'000'000}) == 26 * 2'000 + 198 * 500);
}

TEST_CASE("the stuff bit that the last data bits of an FD frame ask for is the fixed one") {
    Frame frame{.id = 0x555, .fd = true, .size = 1};
    frame.data[0] = 0b10100000;  // five dominant bits at the very end
    Frame other = frame;
    other.data[0] = 0b10100001;
    CHECK(bit_count(frame) == bit_count(other));
}

TEST_CASE("length codes and sizes") {
    for (std::uint8_t code = 0; code < 16; ++code) CHECK(length_code(length_of_code(code, true)) == code);
    CHECK(length_code(9) == 9);
    CHECK(length_code(63) == 15);
    CHECK(length_of_code(15, false) == 8);
    CHECK(bit_count({.error = true, .size = 8}) == 0);
}
