#include "interfaces/livox/points.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace interfaces::livox;

namespace {

using Bytes = std::vector<std::uint8_t>;

/// A ray's returns, one behind the other; the tag of the second says so.
std::vector<Point> pulse(int i, bool two = false) {
    const float angle = 0.01F * static_cast<float>(i % 60), r = 5 + 0.001F * static_cast<float>(i);
    const auto at = [&](float depth, std::uint8_t tag, int intensity) {
        return Point{.x = depth * std::cos(angle),
                     .y = depth * std::sin(angle) * 0.6F,
                     .z = depth * std::sin(angle) * -0.8F,
                     .intensity = static_cast<std::uint8_t>(intensity),
                     .tag = tag,
                     .time = 1'000'000'000 + i * point_interval};
    };
    std::vector<Point> points{at(r, 0, 100)};
    if (two) points.push_back(at(r + 2, 0x10, 200));
    return points;
}

/// The packets of so many pulses.
std::vector<Bytes> packets(DataType type, ReturnMode mode, int pulses, bool two = false) {
    PacketBuilder builder(type, mode);
    std::vector<Bytes> result;
    for (int i = 0; i < pulses; ++i)
        for (const Point& point : pulse(i, two))
            if (const auto packet = builder.add(point)) result.emplace_back(packet->begin(), packet->end());
    return result;
}

void check_near(const Point& got, const Point& expected, double tolerance) {
    CHECK(std::abs(static_cast<double>(got.x) - static_cast<double>(expected.x)) < tolerance);
    CHECK(std::abs(static_cast<double>(got.y) - static_cast<double>(expected.y)) < tolerance);
    CHECK(std::abs(static_cast<double>(got.z) - static_cast<double>(expected.z)) < tolerance);
    CHECK(got.intensity == expected.intensity);
    CHECK(got.time == expected.time);
}

}  // namespace

TEST_CASE("packets have the sizes of the protocol") {
    constexpr std::size_t bytes[] = {1318, 918, 1362, 978, 1362, 786}, points[] = {100, 100, 96, 96, 48, 48};
    for (int type = 0; type <= 5; ++type) {
        const auto mode = type < 4 ? ReturnMode::first : ReturnMode::dual;
        const auto made = packets(static_cast<DataType>(type), mode, 201);
        REQUIRE(made.size() == 200 / points[type]);
        for (const Bytes& packet : made) CHECK(packet.size() == bytes[type]);
        const auto view = PacketView::parse(made[0]);
        REQUIRE(view.has_value());
        CHECK(view->size() == points[type]);
        CHECK(static_cast<int>(view->header().data_type) == type);
    }
    CHECK(layout_of(DataType::imu).data_size() == 42 - 18);
    CHECK(layout_of(DataType::triple_cartesian).data_size() == 1278 - 18);
    CHECK(layout_of(DataType::triple_spherical).data_size() == 678 - 18);
}

TEST_CASE("the type follows coordinates, returns and tags") {
    using enum DataType;
    CHECK(data_type(Coordinates::cartesian, ReturnMode::first, true) == cartesian_tag);
    CHECK(data_type(Coordinates::spherical, ReturnMode::strongest, true) == spherical_tag);
    CHECK(data_type(Coordinates::cartesian, ReturnMode::dual, true) == dual_cartesian);
    CHECK(data_type(Coordinates::spherical, ReturnMode::dual, true) == dual_spherical);
    CHECK(data_type(Coordinates::cartesian, ReturnMode::first, false) == cartesian);
    CHECK(data_type(Coordinates::spherical, ReturnMode::first, false) == spherical);
}

TEST_CASE("points come back from every type, to a millimetre or a hundredth of a degree") {
    const double millimetre = 0.6e-3;                                        // half of one, and float32
    const double hundredth = 8 * (0.006 * 3.1416 / 180) * 1.5 + millimetre;  // at 8 m, in both angles
    for (int type = 0; type <= 5; ++type) {
        const bool dual = type >= 4;
        const auto made = packets(static_cast<DataType>(type), dual ? ReturnMode::dual : ReturnMode::first, 301, true);
        const double tolerance = type % 2 == 0 ? millimetre : hundredth;
        int index = 0;
        for (const Bytes& packet : made) {
            const auto view = PacketView::parse(packet);
            REQUIRE(view.has_value());
            CHECK(view->header().timestamp == static_cast<std::uint64_t>(pulse(index)[0].time));
            for (std::size_t i = 0; i < view->size(); ++i, ++index) {
                const auto expected = pulse(index, true);
                for (std::size_t k = 0; k < view->returns(); ++k) {
                    const Point got = view->point(i, k);
                    check_near(got, expected[k], tolerance);
                    if (type >= 2) CHECK(got.tag == expected[k].tag);
                }
            }
        }
        CHECK(index >= 200);
    }
}

TEST_CASE("bytes of a point stand where the protocol says") {
    PacketBuilder builder(DataType::cartesian_tag, ReturnMode::first);
    const Point point{.x = 1.234F, .y = -0.001F, .z = 70, .intensity = 9, .tag = 0x40, .time = 0x0102030405};
    std::optional<std::span<const std::uint8_t>> packet;
    for (int i = 0; i < 97; ++i) packet = builder.add(point);
    REQUIRE(packet.has_value());
    const Bytes head{5, 1, 1, 0, 0, 0, 0, 0, 0, 2, 5, 4, 3, 2, 1, 0, 0, 0};
    CHECK(std::equal(head.begin(), head.end(), packet->begin()));
    const Bytes first{0xd2, 4, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x70, 0x11, 1, 0, 9, 0x40};
    CHECK(std::equal(first.begin(), first.end(), packet->begin() + 18));

    PacketBuilder around(DataType::spherical, ReturnMode::first);
    for (int i = 0; i < 101; ++i) packet = around.add({.x = 0, .y = -2, .z = 0, .intensity = 7});
    const Bytes left{0xd0, 7, 0, 0, 0x28, 0x23, 0x78, 0x69, 7};  // 2000 mm, 90 degrees from z, 270 from x
    CHECK(std::equal(left.begin(), left.end(), packet->begin() + 18));
}

TEST_CASE("the first, the strongest or both returns of a pulse") {
    const auto single = packets(DataType::cartesian_tag, ReturnMode::first, 97, true);
    CHECK(PacketView::parse(single[0])->point(5, 0).intensity == 100);
    const auto strongest = packets(DataType::cartesian_tag, ReturnMode::strongest, 97, true);
    CHECK(PacketView::parse(strongest[0])->point(5, 0).intensity == 200);
    const auto alone = packets(DataType::dual_cartesian, ReturnMode::dual, 49);
    const auto view = PacketView::parse(alone[0]);
    CHECK(view->point(5, 0).intensity == 100);
    CHECK(view->point(5, 1).x == 0);
    CHECK(view->point(5, 1).intensity == 0);
}

TEST_CASE("no return stays no return, and numbers beyond the wire's range do not become others") {
    for (int type = 0; type <= 5; ++type) {
        PacketBuilder builder(static_cast<DataType>(type), type < 4 ? ReturnMode::first : ReturnMode::dual);
        std::optional<std::span<const std::uint8_t>> packet;
        for (int i = 0; !packet; ++i) {
            Point point;
            if (i % 3 == 1) point.x = std::nanf("");
            if (i % 3 == 2) point.y = 1e30F;
            packet = builder.add(point);
        }
        const auto view = PacketView::parse(*packet);
        for (std::size_t i = 0; i < view->size(); ++i) {
            const Point got = view->point(i, 0);
            CHECK(got.x == 0);
            CHECK(got.y == 0);
            CHECK(got.z == 0);
        }
    }
}

TEST_CASE("short packets and unknown types are refused, odd sizes are cut") {
    const Bytes packet = packets(DataType::cartesian_tag, ReturnMode::first, 97)[0];
    CHECK_FALSE(PacketView::parse(std::span(packet).first(17)).has_value());
    Bytes other = packet;
    other[9] = 9;
    CHECK_FALSE(PacketView::parse(other).has_value());
    CHECK(PacketView::parse(std::span(packet).first(18 + 2 * 14 + 13))->size() == 2);
    other[9] = 6;
    CHECK(PacketView::parse(other)->size() == 0);
}

TEST_CASE("timestamps of all kinds are read") {
    CHECK(time_of({.timestamp_type = TimestampType::none, .timestamp = 12345}) == 12345);
    CHECK(time_of({.timestamp_type = TimestampType::ptp, .timestamp = 12345}) == 12345);
    CHECK_FALSE(time_of({.timestamp_type = TimestampType::ptp, .timestamp = ~0ULL}).has_value());
    CHECK_FALSE(time_of({.timestamp_type = TimestampType::unknown, .timestamp = 1}).has_value());
    // 2020-02-29, 13 h, 1.5 s: 1582981201.5 s since 1970 (Python's datetime).
    const std::uint64_t gps = 20ULL | 2ULL << 8U | 29ULL << 16U | 13ULL << 24U | 1'500'000ULL << 32U;
    CHECK(time_of({.timestamp_type = TimestampType::gps, .timestamp = gps}) == 1'582'981'201'500'000'000);
    CHECK_FALSE(time_of({.timestamp_type = TimestampType::gps, .timestamp = gps + (1U << 16U)}).has_value());
}

TEST_CASE("a packet that was begun is filled up with points without return") {
    PacketBuilder builder(DataType::cartesian_tag, ReturnMode::first);
    CHECK_FALSE(builder.flush());
    for (int i = 0; i < 10; ++i) CHECK_FALSE(builder.add({.x = 5, .time = 1'000 + i * point_interval}));
    const auto packet = builder.flush();
    REQUIRE(packet);
    const auto view = PacketView::parse(*packet);
    REQUIRE(view);
    REQUIRE(view->size() == 96);
    for (std::size_t i = 0; i < 96; ++i) CHECK(view->point(i, 0).x == (i < 10 ? 5 : 0));
    CHECK(time_of(view->header()) == 1'000);
    CHECK_FALSE(builder.flush());
}
