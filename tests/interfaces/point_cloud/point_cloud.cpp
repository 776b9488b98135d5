#include "interfaces/point_cloud/point_cloud.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <vector>

using namespace interfaces::point_cloud;

namespace {

std::vector<std::uint8_t> encoded(const Header& header, const std::vector<Point>& points) {
    std::vector<std::uint8_t> bytes(size_of(points.size()));
    encode(header, std::span(bytes).first<header_size>());
    for (std::size_t i = 0; i < points.size(); ++i)
        encode(points[i], std::span(bytes).subspan(header_size + i * point_size).first<point_size>());
    return bytes;
}

std::vector<std::uint8_t> sample() {
    const std::int64_t end = 123'456'789'012'345;
    return encoded({.sequence = 0x0102030405060708, .time = end, .count = 2},
                   {{.x = 1.5F, .y = -2.25F, .z = 1e-3F, .object = 0x1234, .intensity = 200, .tag = 16, .time = end},
                    {.x = 0, .object = 1, .time = end - 4'000'000'000}});
}

}  // namespace

TEST_CASE("a cloud comes back from its bytes") {
    const auto bytes = sample();
    const auto cloud = View::parse(bytes);
    REQUIRE(cloud.has_value());
    CHECK(cloud->header().sequence == 0x0102030405060708);
    CHECK(cloud->header().time == 123'456'789'012'345);
    REQUIRE(cloud->size() == 2);
    const Point first = (*cloud)[0], second = (*cloud)[1];
    CHECK(first.x == 1.5F);
    CHECK(first.y == -2.25F);
    CHECK(first.z == 1e-3F);
    CHECK(first.object == 0x1234);
    CHECK(first.intensity == 200);
    CHECK(first.tag == 16);
    CHECK(first.time == 123'456'789'012'345);
    CHECK(second.time == 123'456'789'012'345 - 4'000'000'000);
}

TEST_CASE("times before zero come back as well") {
    const auto bytes = encoded({.time = 5, .count = 1}, {{.time = -1'000'000}});
    CHECK((*View::parse(bytes))[0].time == -1'000'000);
}

TEST_CASE("the bytes stand where the layout says") {
    const auto bytes = sample();
    const std::vector<std::uint8_t> head{'T', 'P', 'C', '1', 1, 0, 20, 0, 8, 7, 6, 5, 4, 3, 2, 1};
    CHECK(std::equal(head.begin(), head.end(), bytes.begin()));
    CHECK(bytes[24] == 2);
    const std::vector<std::uint8_t> x{0, 0, 0xc0, 0x3f};
    CHECK(std::equal(x.begin(), x.end(), bytes.begin() + 32));
    CHECK(bytes[48] == 0x34);
    CHECK(bytes[49] == 0x12);
    CHECK(bytes[50] == 200);
    CHECK(bytes[51] == 16);
}

TEST_CASE("what is no cloud is refused") {
    const auto good = sample();
    for (std::size_t size = 0; size < good.size(); ++size)
        CHECK_FALSE(View::parse(std::span(good).first(size)).has_value());
    auto longer = good;
    longer.push_back(0);
    CHECK_FALSE(View::parse(longer).has_value());
    for (const std::size_t at : {0U, 3U, 4U, 5U, 6U, 7U, 24U, 27U, 28U, 31U}) {
        auto changed = good;
        changed[at] ^= 0x40U;
        CHECK_FALSE(View::parse(changed).has_value());
    }
}

TEST_CASE("random bytes and random changes never break the parser") {
    std::mt19937 random(1);
    std::uniform_int_distribution<int> byte(0, 255);
    int accepted = 0;
    for (int round = 0; round < 20'000; ++round) {
        auto bytes = sample();
        if (round % 2 == 0) {
            bytes.resize(static_cast<std::size_t>(byte(random)));
            for (auto& value : bytes) value = static_cast<std::uint8_t>(byte(random));
        } else {
            for (int i = 0; i < 3; ++i)
                bytes[static_cast<std::size_t>(byte(random)) % bytes.size()] = static_cast<std::uint8_t>(byte(random));
        }
        // On the heap and of exact size, so that a sanitizer sees any step beyond the end.
        const std::vector<std::uint8_t> exact(bytes);
        const auto cloud = View::parse(exact);
        if (!cloud) continue;
        ++accepted;
        for (std::size_t i = 0; i < cloud->size(); ++i) {
            const std::int64_t age = cloud->header().time - (*cloud)[i].time;
            REQUIRE(age >= 0);
            REQUIRE(age < (std::int64_t{1} << 32));
        }
    }
    CHECK(accepted > 1000);
}
