#include "interfaces/shared_memory/channel.hpp"

#include "interfaces/shared_memory/tandem_shared.h"
#include "tests/support/long_cases.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <sys/wait.h>
#include <thread>

using namespace interfaces::shared_memory;
using namespace std::string_literals;

namespace {

using Bytes = std::vector<std::uint8_t>;

/// Names of this test alone, and of the processes it makes.
std::string own(const std::string& name) {
    static const std::string prefix = "test-" + std::to_string(::getpid()) + "-";
    return prefix + name;
}

Bytes bytes(const std::string& text) { return {text.begin(), text.end()}; }
std::string text(const Reader::Value& value) { return {value.payload.begin(), value.payload.end()}; }

ChannelSettings small(const std::string& name) { return {.name = own(name), .type = "text", .capacity = 64}; }

/// Publishes in a process of its own, which is then killed, as a crash would end it.
void publish_and_be_killed(const ChannelSettings& settings, const std::vector<std::string>& values) {
    const pid_t child = ::fork();
    if (child == 0) {
        Writer writer(settings);
        for (const std::string& value : values) (void)writer.publish(1, bytes(value));
        ::raise(SIGKILL);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    REQUIRE(WIFSIGNALED(status));
}

/// Words of which the last is a mixture of all others (as FNV-1a mixes).
void seal(std::vector<std::uint64_t>& words) {
    std::uint64_t sum = 0xcbf29ce484222325;
    for (std::size_t i = 0; i + 1 < words.size(); ++i) sum = (sum ^ words[i]) * 0x100000001b3;
    words.back() = sum;
}

}  // namespace

TEST_CASE("the newest value is read, as often as one likes") {
    Writer writer(small("newest"));
    Reader reader(own("newest"));
    CHECK(reader.connected());
    CHECK(reader.type() == "text");
    CHECK_FALSE(reader.latest().has_value());
    CHECK(writer.publish(10, bytes("one")));
    CHECK(writer.publish(20, bytes("two and more")));
    for (int i = 0; i < 3; ++i) {
        const auto value = reader.latest();
        REQUIRE(value.has_value());
        CHECK(text(*value) == "two and more");
        CHECK(value->time == 20);
        CHECK(value->sequence == 2);
    }
    CHECK(writer.publish(30, {}));
    CHECK(reader.latest()->payload.empty());
    for (int i = 0; i < 100; ++i) CHECK(writer.publish(i, bytes(std::to_string(i))));
    CHECK(text(*reader.latest()) == "99");
    CHECK(reader.latest()->sequence == 103);
}

TEST_CASE("what is larger than the channel is not published") {
    Writer writer(small("large"));
    Reader reader(own("large"));
    CHECK(writer.publish(1, bytes(std::string(64, 'a'))));
    CHECK_FALSE(writer.publish(2, bytes(std::string(65, 'b'))));
    CHECK(reader.latest()->time == 1);
}

TEST_CASE("a name has one publisher; the second is refused by name") {
    const Writer first(small("taken"));
    const std::string message =
        "shared memory '" + own("taken") + "' has a publisher already: process " + std::to_string(::getpid());
    CHECK_THROWS_WITH(Writer(small("taken")), message);
    const pid_t child = ::fork();
    if (child == 0) {
        try {
            const Writer second(small("taken"));
            std::_Exit(0);
        } catch (const std::runtime_error&) {
            std::_Exit(7);
        }
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(WEXITSTATUS(status) == 7);
}

TEST_CASE("a writer that ends takes its name with it, and its readers find the next") {
    Reader reader(own("again"));
    CHECK_FALSE(reader.connected());
    {
        Writer writer(small("again"));
        (void)writer.publish(1, bytes("old"));
        CHECK(text(*reader.latest()) == "old");
    }
    CHECK_FALSE(std::filesystem::exists("/dev/shm/tandem-" + own("again")));
    CHECK_FALSE(reader.latest().has_value());
    Writer writer({.name = own("again"), .type = "text", .capacity = 1000});
    (void)writer.publish(1, bytes("new"));
    CHECK(text(*reader.latest()) == "new");
}

TEST_CASE("what a killed writer left is taken over, and readers go on") {
    publish_and_be_killed(small("killed"), {"last words", "really"});
    Reader reader(own("killed"));
    REQUIRE(reader.latest().has_value());
    CHECK(text(*reader.latest()) == "really");
    SECTION("of the same size: the sequence goes on") {
        Writer writer(small("killed"));
        CHECK(writer.sequence() == 2);
        (void)writer.publish(3, bytes("alive"));
        CHECK(text(*reader.latest()) == "alive");
        CHECK(reader.latest()->sequence == 3);
    }
    SECTION("of another size: it is made anew") {
        Writer writer({.name = own("killed"), .type = "text", .capacity = 5000});
        (void)writer.publish(3, bytes("alive"));
        CHECK(text(*reader.latest()) == "alive");
    }
    SECTION("of another type: it is made anew") {
        Writer writer({.name = own("killed"), .type = "numbers", .capacity = 64});
        (void)writer.publish(3, bytes("alive"));
        CHECK(reader.latest().has_value());
        CHECK(reader.type() == "numbers");
    }
}

TEST_CASE("files that are no channels are not believed") {
    const std::string path = "/dev/shm/tandem-" + own("rubbish");
    std::vector<std::uint8_t> good;
    {
        Writer writer(small("rubbish"));
        (void)writer.publish(1, bytes("x"));
        std::ifstream file(path, std::ios::binary);
        good.assign(std::istreambuf_iterator<char>(file), {});
    }
    const auto write = [&](const Bytes& content) {
        std::ofstream(path, std::ios::binary | std::ios::trunc)
            .write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(content.size()));
    };
    write(good);
    CHECK(Reader(own("rubbish")).latest().has_value());
    std::mt19937 random(7);
    int accepted = 0;
    for (int round = 0; round < 3000; ++round) {
        Bytes changed = good;
        // The header alone: its numbers say where the rest is.
        for (int i = 0; i < 2; ++i) changed[random() % 56] = static_cast<std::uint8_t>(random());
        if (round % 5 == 0) changed.resize(random() % changed.size());
        write(changed);
        Reader reader(own("rubbish"));
        if (reader.connected()) ++accepted;
        (void)reader.latest();
    }
    CHECK(accepted > 100);
    write(Bytes(100, 1));
    // A writer replaces it.
    Writer writer(small("rubbish"));
    (void)writer.publish(1, bytes("fine"));
    CHECK(text(*Reader(own("rubbish")).latest()) == "fine");
}

TEST_CASE("names and sizes that cannot be are refused") {
    CHECK_THROWS_WITH(Writer({.name = "a/b", .capacity = 8}), Catch::Contains("name 'a/b'"));
    CHECK_THROWS_WITH(Writer({.name = "", .capacity = 8}), Catch::Contains("name ''"));
    CHECK_THROWS_WITH(Writer({.name = own("x"), .type = std::string(64, 't'), .capacity = 8}), Catch::Contains("type"));
    CHECK_THROWS_WITH(Writer({.name = own("x"), .capacity = 8, .slots = 1}), Catch::Contains("1 slots"));
    CHECK_FALSE(Reader(std::string(500, 'n')).connected());
}

TEST_CASE("a reader may wait for the next value") {
    Writer writer(small("wait"));
    Reader reader(own("wait"));
    CHECK_FALSE(reader.wait(20).has_value());
    std::thread later([&] {
        for (int i = 1; i <= 5; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
            (void)writer.publish(i, bytes(std::to_string(i)));
        }
    });
    std::uint64_t last = 0;
    while (last < 5) {
        const auto value = reader.wait(2000);
        if (!value) break;
        CHECK(value->sequence > last);
        last = value->sequence;
    }
    later.join();
    CHECK(last == 5);
    CHECK_FALSE(reader.wait(0).has_value());
    CHECK(reader.latest().has_value());
}

TEST_CASE("a reader that waits for nobody gives up in time, and finds who comes") {
    Reader reader(own("nobody"));
    const auto begin = std::chrono::steady_clock::now();
    CHECK_FALSE(reader.wait(30).has_value());
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(2));
    std::thread later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        Writer writer(small("nobody"));
        (void)writer.publish(1, bytes("hello"));
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
    });
    CHECK(reader.wait(2000).has_value());
    later.join();
}

TEST_CASE("points are published as x, y, z of the returns") {
    using interfaces::point_cloud::Point;
    PointWriter writer(own("points"), 3);
    Reader reader(own("points"));
    const std::vector<Point> points{{.x = 1, .y = 2, .z = 3}, {}, {.x = -1, .y = 0.5F, .z = 0}};
    CHECK(writer.publish(77, points));
    const auto value = reader.latest();
    REQUIRE(value.has_value());
    CHECK(value->time == 77);
    CHECK(reader.type() == points_type);
    REQUIRE(value->payload.size() == 24);
    float xyz[6];
    std::memcpy(xyz, value->payload.data(), sizeof xyz);
    CHECK(std::vector<float>(xyz, xyz + 6) == std::vector<float>{1, 2, 3, -1, 0.5F, 0});
    CHECK_FALSE(writer.publish(78, std::vector<Point>(4, {.x = 1})));

    namespace point_cloud = interfaces::point_cloud;
    Bytes cloud(point_cloud::size_of(1));
    point_cloud::encode({.sequence = 1, .time = 99, .count = 1}, std::span(cloud).first<point_cloud::header_size>());
    point_cloud::encode(Point{.x = 9},
                        std::span(cloud).subspan(point_cloud::header_size).first<point_cloud::point_size>());
    CHECK(writer.publish(*point_cloud::View::parse(cloud)));
    CHECK(reader.latest()->time == 99);
}

TEST_CASE("against a writer at full speed no torn value is ever accepted") {
    const std::uint64_t reads = tests::long_cases() ? 100'000'000 : 1'000'000;
    const std::size_t most = 40;
    std::atomic<bool> stop{false};
    Writer writer({.name = own("torn"), .type = "words", .capacity = 8 * most});
    std::vector<std::uint64_t> words;
    const auto publish = [&](std::uint64_t n) {
        words.assign(2 + n % (most - 1), n);
        seal(words);
        (void)writer.publish(static_cast<std::int64_t>(n),
                             {reinterpret_cast<const std::uint8_t*>(words.data()), 8 * words.size()});
    };
    publish(0);
    std::thread writing([&] {
        for (std::uint64_t n = 1; !stop; ++n) publish(n);
    });
    Reader reader(own("torn"));
    std::uint64_t accepted = 0, torn = 0, backwards = 0, last = 0;
    std::vector<std::uint64_t> got;
    for (std::uint64_t i = 0; i < reads; ++i) {
        const auto value = reader.latest();
        if (!value) continue;
        ++accepted;
        got.resize(value->payload.size() / 8);
        std::memcpy(got.data(), value->payload.data(), value->payload.size());
        const std::uint64_t sum = got.back();
        seal(got);
        const bool whole = got.back() == sum && got.front() == static_cast<std::uint64_t>(value->time) &&
                           got.size() == 2 + got.front() % (most - 1);
        if (!whole) ++torn;
        if (value->sequence < last) ++backwards;
        last = value->sequence;
    }
    stop = true;
    writing.join();
    CHECK(torn == 0);
    CHECK(backwards == 0);
    CHECK(accepted + reader.overtaken() == reads);
    CHECK(accepted > reads / 2);
    INFO(writer.sequence() << " written, " << reader.overtaken() << " reads overtaken");
    CHECK(writer.sequence() > 1000);
}

// What the Python side of the test reads from: publishes clouds of changing size until its input ends.
TEST_CASE("publishes for another process", "[.publisher]") {
    const char* name = std::getenv("TANDEM_TEST_CHANNEL");
    REQUIRE(name != nullptr);
    PointWriter writer(name, 10'000);
    std::atomic<bool> stop{false};
    std::thread input([&] {
        std::string line;
        while (std::getline(std::cin, line)) {
        }
        stop = true;
    });
    std::vector<interfaces::point_cloud::Point> points;
    for (int n = 1; !stop; ++n) {
        const auto value = static_cast<float>(n % 1000 + 1);
        points.assign(static_cast<std::size_t>(1 + n % 10'000), {.x = value, .y = -value, .z = 2 * value});
        (void)writer.publish(n, points);
    }
    input.join();
}
