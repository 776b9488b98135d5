#include "interfaces/dbc/plan.hpp"

#include "interfaces/dbc/read.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using namespace interfaces::dbc;

namespace {

Database database_of(const std::string& signals, const std::string& rest = "") {
    return read("BO_ 1 M: 8 A\n" + signals + "\n" + rest, "x.dbc");
}

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("signals lie in the bytes as both byte orders count them") {
    const Database database = database_of(
        " SG_ Intel : 4|12@1+ (1,0) [0|0] \"\" A\n SG_ Motorola : 23|12@0+ (1,0) [0|0] \"\" A\n"
        " SG_ Negative : 32|8@1- (0.5,10) [0|0] \"\" A\n");
    const MessagePlan plan(database.messages[0]);
    std::array<std::uint8_t, 8> bytes{};
    const std::array<double, 3> values{0xABC, 0x123, 9.0};
    REQUIRE(plan.encode(values, bytes));
    CHECK(bytes == std::array<std::uint8_t, 8>{0xC0, 0xAB, 0x12, 0x30, 0xFE, 0, 0, 0});
    std::array<double, 3> back{};
    REQUIRE(plan.decode(bytes, back));
    CHECK(back == values);
    CHECK_FALSE(plan.decode(std::span(bytes).first(7), back));
}

TEST_CASE("64 bits over nine bytes, floats and doubles keep every bit") {
    Database database = read(
        "BO_ 1 M: 12 A\n SG_ Wide : 4|64@1+ (1,0) [0|0] \"\" A\nBO_ 2 F: 12 A\n"
        " SG_ Float : 0|32@1- (1,0) [0|0] \"\" A\n SG_ Double : 39|64@0- (1,0) [0|0] \"\" A\n"
        "SIG_VALTYPE_ 2 Float : 1;\nSIG_VALTYPE_ 2 Double : 2;\n",
        "x.dbc");
    CHECK(database.messages[0].fd);
    const MessagePlan wide(database.messages[0]), real(database.messages[1]);
    std::array<std::uint8_t, 12> bytes{};
    const std::array<Raw, 1> raw{{{0x8123456789ABCDEFu, true}}};
    REQUIRE(wide.encode_raw(raw, bytes));
    std::array<Raw, 1> back{};
    REQUIRE(wide.decode_raw(bytes, back));
    CHECK(back[0].bits == raw[0].bits);
    const std::array<double, 2> values{0.25, 1e-300};
    std::array<double, 2> read_back{};
    REQUIRE(real.encode(values, bytes));
    REQUIRE(real.decode(bytes, read_back));
    CHECK(read_back == values);
}

TEST_CASE("a value that the bits cannot hold becomes the nearest that they can") {
    const Database database = database_of(
        " SG_ U : 0|8@1+ (2,-10) [0|0] \"\" A\n SG_ S : 8|8@1- (1,0) [0|0] \"\" A\n"
        " SG_ L : 16|48@1- (1,0) [0|0] \"\" A\n");
    const MessagePlan plan(database.messages[0]);
    CHECK(plan.raw(0, 1e9) == 255);
    CHECK(plan.raw(0, -1e9) == 0);
    CHECK(plan.raw(1, 1e9) == 127);
    CHECK(static_cast<std::int64_t>(plan.raw(1, -1e9)) == -128);
    CHECK(plan.raw(0, not_a_number) == 0);
    CHECK(plan.raw(0, std::numeric_limits<double>::infinity()) == 255);
    CHECK(plan.fits(0, 500));
    CHECK_FALSE(plan.fits(0, 502));
    CHECK_FALSE(plan.fits(1, not_a_number));
}

TEST_CASE("only what the multiplexors select is decoded and encoded") {
    const Database database = database_of(
        " SG_ P M : 0|4@1+ (1,0) [0|0] \"\" A\n SG_ A m0 : 8|8@1+ (1,0) [0|0] \"\" A\n"
        " SG_ Q m1M : 8|8@1+ (1,0) [0|0] \"\" A\n SG_ B m0 : 16|8@1+ (1,0) [0|0] \"\" A\n",
        "SG_MUL_VAL_ 1 B Q 2-3, 5-5;\n");
    const MessagePlan plan(database.messages[0]);
    std::array<double, 4> values{-1, -1, -1, -1};
    REQUIRE(plan.decode(std::array<std::uint8_t, 8>{0, 7, 9}, values));
    CHECK(values == std::array<double, 4>{0, 7, -1, -1});
    values.fill(-1);
    REQUIRE(plan.decode(std::array<std::uint8_t, 8>{1, 5, 9}, values));
    CHECK(values == std::array<double, 4>{1, -1, 5, 9});
    values.fill(-1);
    REQUIRE(plan.decode(std::array<std::uint8_t, 8>{1, 4, 9}, values));
    CHECK(values == std::array<double, 4>{1, -1, 4, -1});
    std::array<std::uint8_t, 8> bytes{};
    REQUIRE(plan.encode(std::array<double, 4>{1, 0x77, 3, 0x55}, bytes));
    CHECK(bytes == std::array<std::uint8_t, 8>{1, 3, 0x55});
    std::array<Raw, 4> raws{};
    REQUIRE(plan.decode_raw(bytes, raws));
    CHECK_FALSE(raws[1].present);
    CHECK(raws[3].present);
}

TEST_CASE("J1939 messages come from any source, and their codes for errors are no numbers") {
    const Database database = read(
        "BO_ 2566844926 EEC1: 8 A\n SG_ Speed : 24|16@1+ (0.125,0) [0|8031] \"rpm\" A\n SG_ Mode : 0|2@1+ (1,0) [0|3] "
        "\"\" A\n"
        " SG_ One : 2|1@1+ (1,0) [0|1] \"\" A\nBA_DEF_ BO_ \"VFrameFormat\" ENUM "
        "\"StandardCAN\",\"ExtendedCAN\",\"reserved\",\"J1939PG\";\n"
        "BA_ \"VFrameFormat\" BO_ 2566844926 3;\n",
        "x.dbc");
    const Plans plans(database);
    CHECK(plans.find({.id = 0x18FEF100, .extended = true}) == 0);
    CHECK(plans.find({.id = 0x0CFEF133, .extended = true}) == 0);
    CHECK(plans.find({.id = 0x18FEF200, .extended = true}) == Plans::none);
    CHECK(plans.find({.id = 0x0F1, .extended = false}) == Plans::none);
    const MessagePlan& plan = plans[0];
    CHECK(plan.physical(0, 0xFAFF) == 0xFAFF * 0.125);
    CHECK(std::isnan(plan.physical(0, 0xFE00)));
    CHECK(std::isnan(plan.physical(0, 0xFFFF)));
    CHECK(std::isnan(plan.physical(1, 2)));
    CHECK(plan.physical(1, 1) == 1);
    CHECK(plan.physical(2, 1) == 1);
    CHECK(plan.raw(0, not_a_number) == 0xFFFF);
    CHECK(std::isnan(plan.physical(0, 0xFB00)));  // FB to FD are no values either (SAE J1939-71)
    CHECK(plan.raw(0, 1e9) == 0xFAFF);
    CHECK_FALSE(plan.fits(0, 0xFB00 * 0.125));
    std::array<std::uint8_t, 3> indicators{9, 9, 9};
    const auto indicated = [&](std::uint8_t high, std::uint8_t mode) {
        std::array<std::uint8_t, 8> bytes{};
        bytes[0] = mode;
        bytes[4] = high;
        CHECK(plan.indicate(bytes, indicators));
        return std::pair(Indicator{indicators[0]}, Indicator{indicators[1]});
    };
    CHECK(indicated(0xFA, 1) == std::pair(Indicator::number, Indicator::number));
    CHECK(indicated(0xFB, 2) == std::pair(Indicator::specific, Indicator::error));
    CHECK(indicated(0xFD, 3) == std::pair(Indicator::specific, Indicator::not_available));
    CHECK(indicated(0xFE, 0).first == Indicator::error);
    CHECK(indicated(0xFF, 0).first == Indicator::not_available);
    CHECK(parameter_group(0x18EAFF00) == 0xEA00);
    CHECK(parameter_group(0x18FEF100) == 0xFEF1);
}

TEST_CASE("J1939 messages with one parameter group are told apart by their source") {
    const Database database = read(
        "BO_ 2364539904 EEC1: 8 A\n SG_ Speed : 24|16@1+ (0.125,0) [0|8031] \"rpm\" A\n"
        "BO_ 2364539907 ETC: 8 A\n SG_ Wanted : 8|16@1+ (0.125,0) [0|8031] \"rpm\" A\n"
        "BA_DEF_ BO_ \"VFrameFormat\" ENUM \"StandardCAN\",\"ExtendedCAN\",\"reserved\",\"J1939PG\";\n"
        "BA_ \"VFrameFormat\" BO_ 2364539904 3;\nBA_ \"VFrameFormat\" BO_ 2364539907 3;\n",
        "x.dbc");
    REQUIRE(database.remarks.size() == 1);
    CHECK(database.remarks[0].text.find("'EEC1' and 'ETC' have the same parameter group") != std::string::npos);
    const Plans plans(database);
    CHECK(plans.find({.id = 0x0CF00400, .extended = true}) == 0);
    CHECK(plans.find({.id = 0x0CF00403, .extended = true}) == 1);
    CHECK(plans.find({.id = 0x18F00403, .extended = true}) == 1);  // of another priority
    CHECK(plans.find({.id = 0x0CF00417, .extended = true}) == 0);
    const Plans chosen(database, {std::uint8_t{0x17}, std::nullopt});
    CHECK(chosen.find({.id = 0x0CF00417, .extended = true}) == 0);
    CHECK(chosen.find({.id = 0x0CF00400, .extended = true}) == 1);
}

TEST_CASE("a number beyond the range of a float is sent as the end of it") {
    const Database database =
        read("BO_ 1 M: 4 A\n SG_ F : 0|32@1- (1,0) [0|0] \"\" A\nSIG_VALTYPE_ 1 F : 1;\n", "x.dbc");
    const MessagePlan plan(database.messages[0]);
    constexpr double most = std::numeric_limits<float>::max();
    CHECK(plan.physical(0, plan.raw(0, 1e300)) == most);
    CHECK(plan.physical(0, plan.raw(0, -1e300)) == -most);
    CHECK(std::isnan(plan.physical(0, plan.raw(0, not_a_number))));
    CHECK_FALSE(plan.fits(0, 1e300));
    CHECK(plan.fits(0, 1.5));
}
