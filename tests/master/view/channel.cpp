#include "master/view/channel.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace master::view;

namespace {

void publish(Latest& latest, double value) {
    latest.begin();
    std::byte* const at = latest.add({.kind = SectionKind::scalars, .bytes = 2 * sizeof value});
    std::memcpy(at, &value, sizeof value);
    std::memcpy(at + sizeof value, &value, sizeof value);
    latest.publish({.sequence = static_cast<std::uint64_t>(value), .time = value});
}

}  // namespace

TEST_CASE("the newest snapshot wins, and is seen once") {
    Channel channel;
    CHECK_FALSE(channel.fast_snapshots.take());
    publish(channel.fast_snapshots, 1);
    publish(channel.fast_snapshots, 2);
    const auto found = channel.fast_snapshots.take();
    REQUIRE(found);
    CHECK(found->head.time == 2);
    REQUIRE(found->sections.size() == 1);
    CHECK(found->sections[0].bytes.size() == 16);
    CHECK_FALSE(channel.fast_snapshots.take());
}

TEST_CASE("a snapshot is never torn, whoever is faster") {
    Channel channel;
    constexpr int count = 20'000;
    std::thread writer([&] {
        for (int i = 1; i <= count; ++i) publish(channel.fast_snapshots, i);
    });
    double last = 0;
    bool whole = true, rising = true;
    while (last < count) {
        const auto found = channel.fast_snapshots.take();
        if (!found) continue;
        std::array<double, 2> values{};
        std::memcpy(values.data(), found->sections[0].bytes.data(), sizeof values);
        whole = whole && values[0] == values[1] && values[0] == found->head.time;
        rising = rising && found->head.time > last;
        last = found->head.time;
    }
    writer.join();
    CHECK(whole);
    CHECK(rising);
}

TEST_CASE("a snapshot that does not fit is left out") {
    Channel channel;
    channel.fast_snapshots.begin();
    CHECK(channel.fast_snapshots.add({.kind = SectionKind::array, .bytes = Latest::capacity}) == nullptr);
    channel.fast_snapshots.publish({.time = 1});
    const auto found = channel.fast_snapshots.take();
    REQUIRE(found);
    CHECK(found->sections.empty());
}

TEST_CASE("what a forked process says and is told arrives in order") {
    Channel channel;
    channel.begin_run();
    channel.command({.kind = Command::Kind::set, .signal = 3, .value = 0.5});
    channel.command({.kind = Command::Kind::go});
    const pid_t child = ::fork();
    if (child == 0) {
        const auto first = channel.next_command(), second = channel.next_command();
        const bool good = first && first->signal == 3 && first->value == 0.5 && second &&
                          second->kind == Command::Kind::go && !channel.next_command();
        channel.say(1.5, good ? "good" : "bad");
        static_cast<void>(channel.publish({.json = "{}", .files = {{"a.urdf", "<robot/>"}}}));
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    const auto saying = channel.next_saying();
    REQUIRE(saying);
    CHECK(saying->json == "good");
    CHECK(saying->time == 1.5);
    const auto catalogue = channel.catalogue();
    REQUIRE(catalogue);
    CHECK(catalogue->json == "{}");
    CHECK(catalogue->files.at(0).second == "<robot/>");
    channel.begin_run();
    CHECK_FALSE(channel.catalogue());
    CHECK(channel.run() == 2);
}

TEST_CASE("a full ring drops what does not fit and goes on") {
    Channel channel;
    const std::string text(100'000, 'x');
    for (int i = 0; i < 20; ++i) channel.say(i, text);
    int taken = 0;
    while (const auto saying = channel.next_saying()) {
        CHECK(saying->json.size() == text.size());
        ++taken;
    }
    CHECK(taken == 10);
    channel.say(30, "again");
    CHECK(channel.next_saying()->json == "again");
}
