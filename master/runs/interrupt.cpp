#include "master/runs/interrupt.hpp"

#include <atomic>
#include <cmath>
#include <csignal>
#include <ctime>
#include <unistd.h>

namespace master::runs {
namespace {

// A signal handler can reach nothing but globals.
std::atomic<bool> asked_here = false;
std::atomic<bool>* asked_to_stop = &asked_here;

/// Ends this process when it has lost who watches it.
struct LastResort {
    pid_t watcher = 0;
    timer_t timer{};  // sends a signal that nobody can block
    itimerspec patience{};
} last_resort;

extern "C" void ask_to_stop(int signal) {
    if (last_resort.watcher != 0 && ::getppid() != last_resort.watcher)
        ::timer_settime(last_resort.timer, 0, &last_resort.patience, nullptr);
    // Where a supervisor counts, it also ends the process.
    if (asked_to_stop == &asked_here && asked_here) {
        std::signal(signal, SIG_DFL);
        std::raise(signal);
    }
    *asked_to_stop = true;
}

void listen_to(int signal) {
    // What is ignored stays ignored: nohup, jobs in the background.
    if (std::signal(signal, ask_to_stop) == SIG_IGN) std::signal(signal, SIG_IGN);
}

void forget(int signal) {
    if (std::signal(signal, SIG_DFL) == SIG_IGN) std::signal(signal, SIG_IGN);
}

}  // namespace

InterruptGuard::InterruptGuard() {
    if (asked_to_stop != &asked_here) return;
    asked_here = false;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) listen_to(signal);
}

InterruptGuard::~InterruptGuard() {
    if (asked_to_stop != &asked_here) return;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) forget(signal);
}

bool InterruptGuard::interrupted() { return asked_to_stop->load(std::memory_order_relaxed); }

void InterruptGuard::obey(std::atomic<bool>& asked, pid_t watcher, double patience) {
    asked_to_stop = &asked;
    sigevent end{};
    end.sigev_notify = SIGEV_SIGNAL;
    end.sigev_signo = SIGKILL;
    if (::timer_create(CLOCK_MONOTONIC, &end, &last_resort.timer) == 0) last_resort.watcher = watcher;
    last_resort.patience.it_value = {.tv_sec = static_cast<std::time_t>(patience),
                                     .tv_nsec = static_cast<long>(1e9 * (patience - std::floor(patience)))};
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) listen_to(signal);
}

}  // namespace master::runs
