#include "master/runs/real_time.hpp"

#include "master/runs/interrupt.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>

namespace master::runs {
namespace {

constexpr int priority = 10;  // above everything ordinary, below what drives hardware

/// Without this right, memory that a unit asks for later would be refused instead of being unlocked.
bool may_lock_all() {
    rlimit limit{};
    return ::getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY;
}

/// What is used is locked as soon as it is used: what is only reserved takes no memory.
bool lock_memory() { return ::mlockall(MCL_ONFAULT | (may_lock_all() ? MCL_CURRENT | MCL_FUTURE : MCL_CURRENT)) == 0; }

struct Scheduling {
    int policy, priority;
};

/// All threads, since one that waits for another must not starve it; later ones inherit it.
bool schedule_all(const Scheduling& wanted) {
    const sched_param parameters{.sched_priority = wanted.priority};
    bool done = true;
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task"))
        done = ::sched_setscheduler(std::stoi(thread.path().filename()), wanted.policy, &parameters) == 0 && done;
    return done;
}

timespec as_timespec(std::chrono::nanoseconds since_epoch) {
    constexpr std::int64_t second = 1'000'000'000;
    return {.tv_sec = since_epoch.count() / second, .tv_nsec = since_epoch.count() % second};
}

}  // namespace

RealTimePriority::RealTimePriority() : preferred_(schedule_all({SCHED_FIFO, priority})), locked_(lock_memory()) {}

RealTimePriority::~RealTimePriority() {
    if (preferred_) schedule_all({SCHED_OTHER, 0});
    if (locked_) ::munlockall();
}

std::string RealTimePriority::text() const {
    const std::string first =
        preferred_ ? "SCHED_FIFO " + std::to_string(priority) : "ordinary (SCHED_FIFO is not permitted)";
    return first + (locked_ ? ", memory locked" : ", memory not locked (not permitted)");
}

void MonotonicClock::sleep_until(TimePoint t) {
    const timespec until = as_timespec(t.time_since_epoch());
    while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR)
        if (InterruptGuard::interrupted()) return;
}

RealTimePacer::RealTimePacer(MonotonicClock& clock, base::Time start, base::Timebase timebase, double factor)
    : clock_(clock),
      timebase_(timebase),
      start_(start),
      nanoseconds_per_tick_(1e9 / static_cast<double>(timebase.ticks_per_second) / factor) {
    pacing_.factor = factor;
}

void RealTimePacer::pace_from(base::Time t, double factor) {
    start_ = t;
    nanoseconds_per_tick_ = 1e9 / static_cast<double>(timebase_.ticks_per_second) / factor;
    origin_ = clock_.now();
}

bool RealTimePacer::go() {
    if (!origin_) origin_ = clock_.now();
    return !InterruptGuard::interrupted();
}

void RealTimePacer::wait_until(base::Time t) {
    const auto passed = static_cast<double>((t - start_).ticks) * nanoseconds_per_tick_;
    const auto deadline = *origin_ + std::chrono::nanoseconds(std::llround(passed));
    const auto now = clock_.now();
    ++pacing_.deadlines;
    if (now > deadline) return miss(now - deadline);
    clock_.sleep_until(deadline);
}

void RealTimePacer::miss(std::chrono::nanoseconds late) {
    const double seconds = std::chrono::duration<double>(late).count();
    ++pacing_.missed;
    ++pacing_.late[static_cast<std::size_t>(std::ranges::upper_bound(report::Pacing::bounds, seconds) -
                                            report::Pacing::bounds.begin())];
    pacing_.worst = std::max(pacing_.worst, seconds);
    if (late <= longest_catch_up) return;
    const std::chrono::nanoseconds beyond = late - longest_catch_up;
    *origin_ += beyond;
    pacing_.slipped += std::chrono::duration<double>(beyond).count();
}

}  // namespace master::runs
