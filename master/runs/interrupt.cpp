#include "master/runs/interrupt.hpp"

#include <csignal>

namespace master::runs {
namespace {

// A signal handler can reach nothing but a global.
volatile std::sig_atomic_t asked_to_stop = 0;

extern "C" void ask_to_stop(int signal) {
    if (asked_to_stop != 0) {
        std::signal(signal, SIG_DFL);
        std::raise(signal);
    }
    asked_to_stop = 1;
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
    asked_to_stop = 0;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) listen_to(signal);
}

InterruptGuard::~InterruptGuard() {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) forget(signal);
}

bool InterruptGuard::interrupted() { return asked_to_stop != 0; }

}  // namespace master::runs
