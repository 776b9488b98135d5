#include "master/interrupt.hpp"

#include <csignal>

namespace master {
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

}  // namespace

InterruptGuard::InterruptGuard() {
    asked_to_stop = 0;
    std::signal(SIGINT, ask_to_stop);
    std::signal(SIGTERM, ask_to_stop);
}

InterruptGuard::~InterruptGuard() {
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
}

bool InterruptGuard::interrupted() { return asked_to_stop != 0; }

}  // namespace master
