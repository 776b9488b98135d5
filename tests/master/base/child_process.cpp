#include "master/base/child_process.hpp"

#include "master/base/shared_block.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>

using master::base::BoundProcess;
using master::base::ChildProcess;
using master::base::SharedBlock;
using namespace std::chrono_literals;

namespace {

constexpr auto patience = 10s;

/// A process that is gone or that nobody has to reap any more.
bool is_gone(pid_t process) {
    for (auto waited = 0ms; waited < patience; waited += 5ms) {
        if (::kill(process, 0) != 0) return true;
        std::this_thread::sleep_for(5ms);
    }
    return false;
}

}  // namespace

TEST_CASE("a child process hands back its number and what it wrote into shared memory") {
    SharedBlock block(1 << 20);
    auto* const number = new (block.data()) std::atomic<int>(0);
    ChildProcess child([&] {
        *number = 42;
        return 7;
    });
    CHECK(child.wait(patience) == 7);
    CHECK(*number == 42);
}

TEST_CASE("an exception or a signal in a child process is its end and not ours") {
    ChildProcess thrower([]() -> int { throw std::runtime_error("no"); });
    CHECK(thrower.wait(patience) == 1);
    ChildProcess dying([] { return std::raise(SIGKILL); });
    CHECK(dying.wait(patience) == -1);
}

TEST_CASE("a program that a process became is looked after while it is waited for, and ended") {
    static int looks = 0;
    looks = 0;
    BoundProcess program("sleep", [] {
        ::execl("/bin/sleep", "sleep", "3600", nullptr);
        ::_exit(127);
    });
    CHECK_FALSE(program.wait(50ms, [] { ++looks; }));
    CHECK(looks > 1);
    CHECK_THROWS_AS(program.wait(patience, [] { throw std::runtime_error("enough"); }), std::runtime_error);
    program.end();
    CHECK(program.ended() == -1);
    CHECK(::kill(program.number(), 0) != 0);
}

TEST_CASE("a child process and the one it started end with the object") {
    SharedBlock block(4096);
    auto* const processes = new (block.data()) std::atomic<pid_t>[2] {};
    {
        ChildProcess child([&] {
            const ChildProcess grandchild([&] {
                processes[1] = ::getpid();
                std::this_thread::sleep_for(1h);
                return 0;
            });
            processes[0] = ::getpid();
            std::this_thread::sleep_for(1h);
            return 0;
        });
        while (processes[0] == 0 || processes[1] == 0) std::this_thread::sleep_for(1ms);
        CHECK_FALSE(child.ended());
        CHECK_FALSE(child.wait(1ms));
    }
    CHECK(::kill(processes[0], 0) != 0);
    CHECK(is_gone(processes[1]));
}
