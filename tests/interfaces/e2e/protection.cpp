#include "interfaces/e2e/protection.hpp"

#include "interfaces/e2e/crc.hpp"

#include <catch2/catch.hpp>
#include <numeric>

using namespace interfaces::e2e;

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes protected_bytes(const Protection& protection, std::uint8_t counter) {
    Bytes bytes{0, 0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66};
    protect(protection, counter, bytes);
    REQUIRE(is_intact(protection, bytes));
    REQUIRE(counter_of(protection, bytes) == counter);
    return {bytes.begin(), bytes.begin() + 2};
}

const Protection profile_1{.kind = Kind::profile_1, .checksum_byte = 0, .counter_byte = 1, .data_id = 0x0A1B};

}  // namespace

TEST_CASE("the CRCs have the check values of their catalogue entries") {
    const Bytes digits{'1', '2', '3', '4', '5', '6', '7', '8', '9'};
    CHECK((crc8_j1850(0xFF, digits) ^ 0xFF) == 0x4B);
    CHECK((crc8_h2f(0xFF, digits) ^ 0xFF) == 0xDF);
}

// Checksum and second byte as the package autosar-e2e 1.0.0 writes them for the same data.
TEST_CASE("AUTOSAR E2E profile 1") {
    Bytes zero(8);
    protect({.kind = Kind::profile_1, .checksum_byte = 0, .counter_byte = 1, .data_id = 0x123}, 0, zero);
    CHECK(zero == Bytes{0xCC, 0, 0, 0, 0, 0, 0, 0});
    Protection protection = profile_1;
    CHECK(protection.largest_counter() == 14);
    CHECK(protected_bytes(protection, 0) == Bytes{0xD3, 0x00});
    CHECK(protected_bytes(protection, 5) == Bytes{0xE7, 0x05});
    CHECK(protected_bytes(protection, 14) == Bytes{0xD2, 0x0E});
    protection.mode = DataIdMode::alternating;
    CHECK(protected_bytes(protection, 0) == Bytes{0xAB, 0x00});
    CHECK(protected_bytes(protection, 5) == Bytes{0x59, 0x05});
    protection.mode = DataIdMode::low;
    CHECK(protected_bytes(protection, 5) == Bytes{0x9F, 0x05});
    protection.mode = DataIdMode::nibble;
    CHECK(protected_bytes(protection, 0) == Bytes{0x61, 0xA0});
    CHECK(protected_bytes(protection, 14) == Bytes{0x60, 0xAE});
}

TEST_CASE("AUTOSAR E2E profile 2") {
    Protection protection{.kind = Kind::profile_2, .checksum_byte = 0, .counter_byte = 1};
    std::iota(protection.data_ids.begin(), protection.data_ids.end(), std::uint8_t{0x30});
    CHECK(protection.largest_counter() == 15);
    CHECK(protected_bytes(protection, 0) == Bytes{0xC3, 0x00});
    CHECK(protected_bytes(protection, 7) == Bytes{0x1D, 0x07});
    CHECK(protected_bytes(protection, 15) == Bytes{0x1B, 0x0F});
}

TEST_CASE("plain checksums, at any place") {
    Bytes bytes{1, 2, 3, 4};
    Protection protection{.kind = Kind::exclusive_or, .checksum_byte = 3, .counter_byte = 0, .counter_shift = 4};
    protect(protection, 9, bytes);
    CHECK(bytes == Bytes{0x91, 2, 3, 0x91 ^ 2 ^ 3});
    protection.kind = Kind::sum;
    protection.data_id = 0x0102;
    protect(protection, 9, bytes);
    CHECK(bytes[3] == 0x91 + 2 + 3 + 1 + 2);
    protection.kind = Kind::crc8_j1850;
    protection.data_id.reset();
    Bytes digits{'1', '2', '3', '4', '5', '6', '7', '8', '9', 0};
    protection.checksum_byte = 9;
    protection.counter_byte.reset();
    protect(protection, 0, digits);
    CHECK(digits[9] == 0x4B);
}

TEST_CASE("every flipped bit is seen by the CRCs") {
    Bytes bytes{0, 0, 1, 2, 3, 4, 5, 6};
    protect(profile_1, 3, bytes);
    for (std::size_t i = 0; i < 64; ++i) {
        Bytes changed = bytes;
        changed[i / 8] ^= static_cast<std::uint8_t>(1u << i % 8);
        CHECK_FALSE(is_intact(profile_1, changed));
    }
}

TEST_CASE("a monitor tells repeated, missing, damaged and late messages apart") {
    Monitor monitor(profile_1, {.timeout = 0.1});
    monitor.start(0);
    Bytes bytes(8);
    const auto take = [&](double t, std::uint8_t counter) {
        protect(profile_1, counter, bytes);
        return monitor.take(t, bytes);
    };
    CHECK(monitor.at(0.1) == Verdict::good);
    CHECK(monitor.at(0.11) == Verdict::late);
    CHECK(take(0.11, 13) == Verdict::good);
    CHECK(take(0.13, 14) == Verdict::good);
    CHECK(take(0.15, 0) == Verdict::good);
    CHECK(take(0.17, 0) == Verdict::repeated);
    CHECK(take(0.19, 2) == Verdict::missing);
    CHECK(take(0.21, 3) == Verdict::good);
    bytes[7] ^= 1;
    CHECK(monitor.take(0.3, bytes) == Verdict::wrong_checksum);
    CHECK(monitor.at(0.32) == Verdict::late);  // a damaged message is no sign of life
    Monitor patient(profile_1, {.most_missing = 2});
    protect(profile_1, 1, bytes);
    CHECK(patient.take(0, bytes) == Verdict::good);
    protect(profile_1, 4, bytes);
    CHECK(patient.take(0, bytes) == Verdict::good);
    protect(profile_1, 8, bytes);
    CHECK(patient.take(0, bytes) == Verdict::missing);
    CHECK(patient.at(100) == Verdict::good);
}

TEST_CASE("a set of messages counts when all with equal counters are there") {
    FrameSet set(3);
    CHECK_FALSE(set.take(0, 5));
    CHECK_FALSE(set.take(2, 5));
    CHECK(set.take(1, 5));
    CHECK_FALSE(set.take(0, 6));
    CHECK_FALSE(set.take(0, 6));
    CHECK_FALSE(set.take(1, 7));  // the set of 6 will never be complete
    CHECK(set.given_up() == 1);
    CHECK_FALSE(set.take(2, 7));
    CHECK(set.take(0, 7));
    CHECK_FALSE(set.take(1, 7));
}
