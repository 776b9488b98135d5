#include "interfaces/can_traffic/traffic.hpp"

#include "interfaces/can/timing.hpp"
#include "interfaces/dbc/read.hpp"

#include <catch2/catch.hpp>

using namespace interfaces;
using can_traffic::Traffic;

namespace {

constexpr std::int64_t millisecond = 1000000;

}  // namespace

TEST_CASE("messages are counted with rates, gaps and values") {
    const dbc::Database database =
        dbc::read("BO_ 256 Order: 2 A\n SG_ Speed : 0|8@1- (0.5,0) [0|0] \"m/s\" B\n", "x.dbc");
    Traffic traffic(&database);
    std::uint64_t bits = 0;
    for (int i = 0; i < 11; ++i) {
        const can::Frame frame{.id = 256, .size = 2, .data = {static_cast<std::uint8_t>(i - 5)}};
        traffic.take(i * 20 * millisecond + (i == 5 ? millisecond : 0), frame);
        if (i > 0) bits += can::bit_count(frame) + can::interframe_bits;
    }
    traffic.take(50 * millisecond, {.id = 256, .extended = true});
    bits += can::bit_count({.id = 256, .extended = true}) + can::interframe_bits;
    traffic.take(60 * millisecond, {.error = true});
    CHECK(traffic.frames() == 12);
    CHECK(traffic.error_frames() == 1);
    CHECK(traffic.duration() == Approx(0.2));
    CHECK(traffic.load(250e3, 250e3) == Approx(static_cast<double>(bits) / 250e3 / 0.2));
    REQUIRE(traffic.messages().size() == 2);
    const auto& row = traffic.messages().at({256, false});
    CHECK(row.message == 0);
    CHECK(row.count == 11);
    CHECK(row.rate() == Approx(50));
    CHECK(row.least_gap == 19 * millisecond);
    CHECK(row.most_gap == 21 * millisecond);
    CHECK(row.signals[0].last == 2.5);
    CHECK(row.signals[0].least == -2.5);
    CHECK(row.signals[0].most == 2.5);
    CHECK(traffic.messages().at({256, true}).message == dbc::Plans::none);
}

TEST_CASE("the load of cyclic frames does not depend on how many of them a log holds") {
    const can::Frame frame{.id = 256, .size = 8};
    const double one = static_cast<double>(can::bit_count(frame) + can::interframe_bits) / 250e3;
    for (const int count : {2, 3, 100}) {
        Traffic traffic(nullptr);
        for (int i = 0; i < count; ++i) traffic.take(i * millisecond, frame);
        CHECK(traffic.load(250e3, 250e3) == Approx(one / 1e-3));
    }
}

TEST_CASE("a frame with fewer bytes than its message is counted and not decoded") {
    const dbc::Database database = dbc::read("BO_ 1 Order: 2 A\n SG_ Speed : 0|8@1+ (1,0) [0|0] \"\" B\n", "x.dbc");
    Traffic traffic(&database);
    traffic.take(0, {.id = 1, .size = 1});
    CHECK(traffic.messages().at({1, false}).too_short == 1);
    CHECK_FALSE(traffic.messages().at({1, false}).signals[0].seen);
    CHECK(traffic.load(250e3, 250e3) == 0);
}

TEST_CASE("frames that are older than one before them are counted, and none is out of the time") {
    const dbc::Database none;
    Traffic traffic(&none);
    for (const int t : {5, 4, 6}) traffic.take(t * millisecond, {.id = 1});
    CHECK(traffic.out_of_order() == 1);
    CHECK(traffic.duration() == Approx(0.002));
    CHECK(traffic.messages().at({1, false}).rate() == Approx(1000));
}
