#include "interfaces/topics/topics.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace interfaces::topics;

namespace {

using Bytes = std::vector<std::uint8_t>;

std::string own(const std::string& name) {
    static const std::string prefix = "/test" + std::to_string(::getpid()) + "/";
    return prefix + name;
}
std::optional<TopicInfo> found(const std::string& name) {
    for (const TopicInfo& info : list()) {
        if (info.name == name) return info;
    }
    return std::nullopt;
}
std::int64_t now_ns() { return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

TEST_CASE("topics may be named as connectors and ROS topics are") {
    for (const std::string name :
         {"/lidar/points", "kinematics.links.poses", "a[1,2]", "100 %", "\xC3\xA4", "%2F", "%"})
        CHECK(topic_of(segment_of(name)) == name);
    CHECK(segment_of("/lidar/points") == "%2Flidar%2Fpoints");
}

TEST_CASE("what is published is read by name") {
    Publisher publisher({.name = own("a/b[1]"), .type = "float64", .capacity = 8});
    Subscriber subscriber(own("a/b[1]"));
    CHECK(publisher.publish(5, Bytes{1, 2, 3}));
    const auto value = subscriber.latest();
    REQUIRE(value.has_value());
    CHECK(value->time == 5);
    CHECK(value->payload.size() == 3);
    CHECK(subscriber.type() == "float64");
    CHECK_FALSE(subscriber.wait(1).has_value());
    CHECK(publisher.publish(6, Bytes{4}));
    CHECK(subscriber.wait(1000)->time == 6);
    CHECK_THROWS_WITH(Publisher({.name = own("a/b[1]"), .type = "float64", .capacity = 8}),
                      Catch::Contains("has a publisher already: process " + std::to_string(::getpid())));
}

TEST_CASE("the table shows rates, sizes and ages, and who died") {
    Publisher publisher({.name = own("table"), .type = "bytes", .capacity = 100});
    auto info = found(own("table"));
    REQUIRE(info.has_value());
    CHECK(info->alive);
    CHECK(info->type == "bytes");
    CHECK(info->publisher == static_cast<std::uint32_t>(::getpid()));
    CHECK(info->published == 0);
    CHECK_FALSE(info->age.has_value());
    const std::int64_t begin = now_ns();
    for (int i = 0; i < 5; ++i) {
        (void)publisher.publish(i, Bytes(40));
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    info = found(own("table"));
    const double elapsed = 1e-9 * static_cast<double>(now_ns() - begin);
    CHECK(info->published == 5);
    CHECK(info->size == 40);
    CHECK(info->time == 4);
    REQUIRE(info->rate.has_value());
    CHECK(*info->rate < 101);
    CHECK(*info->rate > 2 / elapsed);
    CHECK(*info->age >= 0.01);
    CHECK(*info->age <= elapsed);

    const pid_t child = ::fork();
    if (child == 0) {
        Publisher killed({.name = own("killed"), .type = "bytes", .capacity = 8});
        (void)killed.publish(1, Bytes(8));
        ::raise(SIGKILL);
    }
    ::waitpid(child, nullptr, 0);
    info = found(own("killed"));
    REQUIRE(info.has_value());
    CHECK_FALSE(info->alive);
    CHECK(info->publisher == static_cast<std::uint32_t>(child));
    const Publisher next({.name = own("killed"), .type = "bytes", .capacity = 8});
    CHECK(found(own("killed"))->alive);
}

TEST_CASE("a subscriber that is stopped or killed does not slow its publisher down") {
    const std::size_t size = 250'152;  // a scanner of 15,606 rays
    Publisher publisher({.name = own("slow"), .type = "bytes", .capacity = size});
    const pid_t child = ::fork();
    if (child == 0) {
        Subscriber subscriber(own("slow"));
        while (true) (void)subscriber.wait(1000);
    }
    const Bytes value(size);
    const auto median = [&] {
        std::vector<std::int64_t> times;
        for (int i = 0; i < 100; ++i) {
            const std::int64_t begin = now_ns();
            (void)publisher.publish(i, value);
            times.push_back(now_ns() - begin);
        }
        std::nth_element(times.begin(), times.begin() + 50, times.end());
        return times[50];
    };
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const std::int64_t awake = median();
    ::kill(child, SIGSTOP);
    const std::int64_t stopped = median();
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const std::int64_t dead = median();
    // Medians of a copy of 250 kB: a wait for anybody would be milliseconds more.
    constexpr std::int64_t wait = 1'000'000;
    CHECK(stopped < 2 * awake + wait);
    CHECK(dead < 2 * awake + wait);
}
