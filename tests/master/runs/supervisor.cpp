#include "master/runs/supervisor.hpp"

#include "master/fmi/library/function.hpp"

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <pthread.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace master;
using namespace std::chrono_literals;

namespace {

class Said final : public base::Log {
public:
    void message(Level, std::string_view, double, std::string_view) override {}
    void warning(std::string_view where, std::string_view text) override {
        warnings.push_back(std::string(where) + ": " + std::string(text));
    }
    std::vector<std::string> warnings;
};

/// A unit 'a' that is called in the other process.
struct Run {
    explicit Run(const runs::SupervisorOptions& options = {}) : supervisor(options, said) {}

    runs::Ending call(void (*function)(const void*)) {
        return supervisor.run(
            [&] {
                base::WatchedUnit* const unit = supervisor.board().add_unit("a");
                unit->instance = this;
                unit->say("so far so good");
                supervisor.board().begin({500'000'000}, {});
                supervisor.board().enter(runs::Board::Phase::running);
                base::call_watched(fmi::known_function("DoStep"), function, static_cast<const void*>(this));
                return 0;
            },
            [&](const runs::Ending&) { ++concluded; });
    }

    Said said;
    runs::Supervisor supervisor;
    int concluded = 0;
};

std::string text_of(const runs::Ending& ending) {
    return ending.error ? ending.error->code() + " " + ending.error->where() + ": " + ending.error->what() : "";
}

void overflow(const void* object) {
    volatile char room[4096];
    room[0] = static_cast<char>(reinterpret_cast<std::uintptr_t>(object));
    if (object != nullptr) overflow(const_cast<const char*>(room));  // always: the compiler refuses what is endless
    room[1] = room[0];
}

}  // namespace

TEST_CASE("work that ends gives its exit code and needs no words") {
    Run run;
    const runs::Ending ending = run.supervisor.run([] { return 3; }, [&](const runs::Ending&) { ++run.concluded; });
    CHECK(ending.code == 3);
    CHECK_FALSE(ending.error);
    CHECK(run.concluded == 1);
}

TEST_CASE("a crash in a call is said with unit, time, cause, function and last message") {
    Run run;
    const runs::Ending ending = run.call([](const void*) { std::raise(SIGSEGV); });
    CHECK(ending.code == 1);
    CHECK(text_of(ending) ==
          "fmu-crash unit 'a' at t = 0.5: segmentation fault in fmi2DoStep; its last message: so far so good");
    CHECK(run.concluded == 1);
}

TEST_CASE("every way to end the process inside a call is the unit's") {
    const auto found = [](void (*function)(const void*)) { return text_of(Run().call(function)); };
    CHECK_THAT(found([](const void*) { std::abort(); }), Catch::Contains("aborted in fmi2DoStep"));
    CHECK_THAT(found([](const void*) { ::_exit(0); }), Catch::Contains("exit(0) in fmi2DoStep"));
    CHECK_THAT(found([](const void*) { std::exit(7); }), Catch::Contains("exit(7) in fmi2DoStep"));
    CHECK_THAT(found([](const void*) { std::raise(SIGKILL); }), Catch::Contains("killed"));
    CHECK_THAT(found(overflow), Catch::Contains("stack overflow in fmi2DoStep"));
}

TEST_CASE("a crash in a thread that a unit started is not blamed on the call under way elsewhere") {
    Run run;
    const runs::Ending ending = run.call([](const void*) {
        std::thread([] { std::raise(SIGSEGV); }).detach();
        std::this_thread::sleep_for(10s);
    });
    CHECK_THAT(text_of(ending), Catch::Contains("segmentation fault in a thread that a unit started"));
    CHECK_THAT(text_of(ending), Catch::StartsWith("fmu-crash unit 'a'"));
}

TEST_CASE("a crash outside of calls is no unit's") {
    Run run;
    const runs::Ending ending =
        run.supervisor.run([]() -> int { return std::raise(SIGSEGV); }, [](const runs::Ending&) {});
    CHECK(text_of(ending).starts_with("crash t = 0: segmentation fault, in none of the units' calls"));
}

TEST_CASE("a crash after everything was written says so") {
    Run run;
    const runs::Ending ending = run.supervisor.run(
        [&]() -> int {
            run.supervisor.board().enter(runs::Board::Phase::complete);
            return std::raise(SIGSEGV);
        },
        [](const runs::Ending&) {});
    CHECK_THAT(text_of(ending), Catch::Contains("results, run.json and the report are complete"));
}

TEST_CASE("a call that does not come back is named, and ended where a time was given") {
    Run run({.unit_timeout = 0.4, .patience = 0.1});
    const runs::Ending ending = run.call([](const void*) {
        sigset_t all;
        ::sigfillset(&all);
        ::sigprocmask(SIG_BLOCK, &all, nullptr);
        while (true) ::pause();
    });
    CHECK(ending.code == 1);
    CHECK_THAT(text_of(ending), Catch::StartsWith("unit-timeout unit 'a' at t = 0.5: no answer in fmi2DoStep"));
    REQUIRE(run.said.warnings.size() == 1);
    CHECK_THAT(run.said.warnings.front(), Catch::StartsWith("unit 'a' at t = 0.5: fmi2DoStep has not come back"));
}

TEST_CASE("one interrupt asks, the second ends, whatever signals the unit blocks") {
    // In every thread of this process; a run has only one.
    sigset_t interrupts, before;
    ::sigemptyset(&interrupts);
    ::sigaddset(&interrupts, SIGINT);
    ::pthread_sigmask(SIG_BLOCK, &interrupts, &before);
    Run run;
    std::thread user([] {
        for (int i = 0; i < 2; ++i) {
            std::this_thread::sleep_for(200ms);
            ::kill(::getpid(), SIGINT);
        }
    });
    const runs::Ending ending = run.call([](const void*) {
        sigset_t all;
        ::sigfillset(&all);
        ::sigprocmask(SIG_BLOCK, &all, nullptr);
        while (true) ::pause();
    });
    user.join();
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    CHECK(ending.code == 130);
    CHECK_THAT(text_of(ending), Catch::StartsWith("interrupted unit 'a' at t = 0.5: stopped at once in fmi2DoStep"));
    CHECK(run.supervisor.board().stop);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they need memory of their own
TEST_CASE("memory beyond the limit is refused in the other process only") {
    Run run({.memory_limit = std::uint64_t{512} << 20U});
    const runs::Ending ending = run.supervisor.run(
        []() -> int {
            void* const memory = std::malloc(std::size_t{1} << 30U);
            return memory == nullptr ? 42 : 0;
        },
        [](const runs::Ending&) {});
    CHECK(ending.code == 42);
}
#endif
