#include "master/runs/interrupt.hpp"

#include <atomic>
#include <csignal>

namespace master::runs {
namespace {

// A signal handler can reach nothing but globals.
std::atomic<bool> asked_here = false;
std::atomic<bool>* asked_to_stop = &asked_here;

extern "C" void ask_to_stop(int signal) {
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

void InterruptGuard::obey(std::atomic<bool>& asked) {
    asked_to_stop = &asked;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) listen_to(signal);
}

}  // namespace master::runs
