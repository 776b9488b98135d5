#include "master/view/frames.hpp"

#include "interfaces/bytes/bytes.hpp"
#include "interfaces/point_cloud/point_cloud.hpp"

#include <bit>
#include <catch2/catch.hpp>

using namespace master::view;
using interfaces::bytes::take;

namespace {

double double_at(const Frame& frame, std::size_t at) {
    return std::bit_cast<double>(take<std::uint64_t>(frame.data() + at));
}
float float_at(const Frame& frame, std::size_t at) {
    return std::bit_cast<float>(take<std::uint32_t>(frame.data() + at));
}

std::vector<std::uint8_t> cloud_of(const std::vector<interfaces::point_cloud::Point>& points) {
    namespace cloud = interfaces::point_cloud;
    std::vector<std::uint8_t> bytes(cloud::size_of(points.size()));
    cloud::encode(cloud::Header{.sequence = 1, .count = static_cast<std::uint32_t>(points.size())},
                  std::span<std::uint8_t, cloud::header_size>(bytes.data(), cloud::header_size));
    for (std::size_t i = 0; i < points.size(); ++i)
        cloud::encode(points[i],
                      std::span<std::uint8_t, cloud::point_size>(bytes.data() + cloud::size_of(i), cloud::point_size));
    return bytes;
}

constexpr std::array<double, 7> pose{1, 2, 3, 0, 0, 0, 1};

}  // namespace

TEST_CASE("a state frame is laid out as the protocol says") {
    const std::vector<double> values{1.5, -2};
    const Frame frame = state_frame({.stream = 1, .sequence = 7, .time = 0.25, .run = 3},
                                    {.flags = 9, .real_time_factor = 2, .age = 0.01}, values);
    REQUIRE(frame.size() == 64);
    CHECK(frame[0] == 1);
    CHECK(frame[1] == 1);
    CHECK(take<std::uint16_t>(&frame[2]) == 1);
    CHECK(take<std::uint32_t>(&frame[4]) == 7);
    CHECK(double_at(frame, 8) == 0.25);
    CHECK(take<std::uint32_t>(&frame[16]) == 3);
    CHECK(take<std::uint32_t>(&frame[20]) == 9);
    CHECK(double_at(frame, 24) == 2);
    CHECK(take<std::uint32_t>(&frame[40]) == 2);
    CHECK(double_at(frame, 48) == 1.5);
    CHECK(double_at(frame, 56) == -2);
}

TEST_CASE("a cloud keeps its points within half a count, and only those that returned") {
    const auto bytes = cloud_of({{.x = 10, .y = -5, .z = 0.5, .object = 1}, {}, {.x = 1, .y = 2, .z = 3, .object = 7}});
    const auto frame = cloud_frame({}, pose, bytes, 100);
    REQUIRE(frame);
    CHECK(take<std::uint32_t>(frame->data() + 20) == 2);
    CHECK(take<std::uint32_t>(frame->data() + 56) == 2);
    REQUIRE(frame->size() == 60 + 14);
    const float scale = float_at(*frame, 24);
    const auto coordinate = [&](std::size_t i) {
        return scale * static_cast<float>(static_cast<std::int16_t>(take<std::uint16_t>(frame->data() + 60 + 2 * i)));
    };
    CHECK(coordinate(0) == Approx(10).margin(scale));
    CHECK(coordinate(1) == Approx(-5).margin(scale));
    CHECK(coordinate(5) == Approx(3).margin(scale));
    CHECK((*frame)[72] == 1);
    CHECK((*frame)[73] == 2);  // a link of the machine, whichever
    CHECK(float_at(*frame, 28) == 1);
}

TEST_CASE("a cloud is thinned evenly to its budget") {
    std::vector<interfaces::point_cloud::Point> points(1000);
    for (std::size_t i = 0; i < points.size(); ++i) points[i].x = static_cast<float>(i + 1);
    const auto frame = cloud_frame({}, pose, cloud_of(points), 100);
    REQUIRE(frame);
    CHECK(take<std::uint32_t>(frame->data() + 20) == 100);
    CHECK(take<std::uint32_t>(frame->data() + 56) == 1000);
    const float scale = float_at(*frame, 24);
    for (std::size_t i = 0; i < 100; ++i) {
        const auto x = scale * static_cast<float>(take<std::uint16_t>(frame->data() + 60 + 6 * i));
        CHECK(x == Approx(10.0 * static_cast<double>(i + 1)).margin(10.1));
    }
}

TEST_CASE("bytes that are no cloud make no frame, and an empty cloud an empty one") {
    CHECK_FALSE(cloud_frame({}, pose, std::vector<std::uint8_t>(40, 1), 100));
    const auto frame = cloud_frame({}, pose, cloud_of({}), 100);
    REQUIRE(frame);
    CHECK(frame->size() == 60);
}
