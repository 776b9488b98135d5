#include "interfaces/dds/ros.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <iostream>
#include <thread>
#include <unistd.h>

using namespace interfaces::dds;
using interfaces::point_cloud::Point;

namespace {

/// A domain that other tests running now are unlikely to have.
std::uint32_t own_domain() {
    const char* given = std::getenv("TANDEM_TEST_DOMAIN");
    return given != nullptr ? static_cast<std::uint32_t>(std::stoul(given))
                            : static_cast<std::uint32_t>(100 + ::getpid() % 100);
}
ParticipantSettings quick() { return {.domain = own_domain(), .discovery = 20'000'000}; }

/// Until something comes: publishers and subscribers need a while to find each other.
template <class Publish, class Next>
auto until_received(Publish publish, Next next) {
    for (int i = 0; i < 500; ++i) {
        publish();
        if (auto value = next(10)) return value;
    }
    return next(0);
}

}  // namespace

TEST_CASE("numbers and clouds go from a publisher to a subscriber") {
    const Participant participant(quick());
    NumbersPublisher numbers(participant, "/machine/axes");
    NumbersSubscriber reader(participant, "/machine/axes");
    CHECK_FALSE(reader.next(0).has_value());
    const std::vector<double> sent{1, -2.5, std::nan("")};
    const auto got = until_received([&] { return numbers.publish(sent); }, [&](int ms) { return reader.next(ms); });
    REQUIRE(got.has_value());
    REQUIRE(got->size() == 3);
    CHECK((*got)[1] == -2.5);
    CHECK(std::isnan((*got)[2]));

    PointCloudPublisher cloud(participant, "lidar/points", "lidar");
    PointCloudSubscriber viewer(participant, "/lidar/points");  // the same with or without the slash
    const std::vector<Point> points{{.x = 1, .y = 2, .z = 3, .intensity = 4}, {}, {.x = -1}};
    const auto seen =
        until_received([&] { return cloud.publish(3'250'000'000, points); }, [&](int ms) { return viewer.next(ms); });
    REQUIRE(seen.has_value());
    CHECK(seen->time == 3'250'000'000);
    CHECK(seen->frame == "lidar");
    CHECK(seen->points == std::vector<std::array<float, 3>>{{1, 2, 3}, {-1, 0, 0}});
}

TEST_CASE("a topic has one publisher; the second is refused by name") {
    const Participant first(quick()), second({.domain = own_domain(), .discovery = 5'000'000'000});
    const NumbersPublisher publisher(first, "/taken");
    CHECK_THROWS_WITH(NumbersPublisher(second, "/taken"), "DDS: topic '/taken' has a publisher already");
    CHECK_THROWS_WITH(NumbersPublisher(first, "taken"), "DDS: topic 'taken' has a publisher already");
    const NumbersPublisher other(first, "/free");
}

TEST_CASE("addresses that this machine does not have are refused") {
    CHECK_THROWS_WITH(Participant({.domain = 3, .address = "lo\"/><x"}), Catch::Contains("expected an IPv4 address"));
    CHECK_THROWS_WITH(Participant({.domain = 3, .address = "192.0.2.1"}), Catch::Contains("domain 3 at 192.0.2.1"));
}

TEST_CASE("publishing never waits for a reader that does not read") {
    const Participant participant(quick());
    PointCloudPublisher cloud(participant, "/flood", "lidar");
    const PointCloudSubscriber idle(participant, "/flood");
    const std::vector<Point> points(10'000, {.x = 1});
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 100; ++i) (void)cloud.publish(i, points);
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
}

// The C++ side of the test with Python: publishes everything, doubles the numbers it gets, until its input ends.
TEST_CASE("talks to another process", "[.counterpart]") {
    const Participant participant(quick());
    PointCloudPublisher cloud(participant, "/lidar/points", "lidar");
    JointStatePublisher joints(participant, "/joint_states", {"boom", "arm"});
    TransformPublisher transforms(participant, "/tf", "world", {"lidar"});
    NumbersPublisher doubled(participant, "/doubled");
    NumbersSubscriber numbers(participant, "/numbers");
    PointCloudSubscriber clouds(participant, "/clouds");
    std::atomic<bool> stop{false};
    std::thread input([&] {
        std::string line;
        while (std::getline(std::cin, line)) {
        }
        stop = true;
    });
    const std::vector<Point> points{{.x = 1, .y = 2, .z = 3, .intensity = 4}, {.x = 5, .y = 6, .z = 7, .intensity = 8}};
    const std::vector<double> positions{0.5, -0.25}, velocities{1, 2};
    const std::vector<std::array<double, 7>> poses{{1, 2, 3, 0, 0, 0, 1}};
    while (!stop) {
        (void)cloud.publish(1'500'000'000, points);
        (void)joints.publish(2'000'000'001, positions, velocities);
        (void)transforms.publish(-1, poses);
        if (auto got = numbers.next(10)) {
            for (double& number : *got) number *= 2;
            (void)doubled.publish(*got);
        }
        if (const auto got = clouds.next(0)) {
            std::vector<double> flat;
            for (const auto& point : got->points) flat.insert(flat.end(), point.begin(), point.end());
            (void)doubled.publish(flat);
        }
    }
    input.join();
}
