#include "master/runs/orphan.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <limits.h>
#include <memory>
#include <poll.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace master::runs {
namespace {

struct Watch {
    int parent;
    std::atomic<bool>* stop;
    std::chrono::duration<double> patience;
};

void* watch(void* argument) {
    const std::unique_ptr<Watch> own(static_cast<Watch*>(argument));
    pollfd death{.fd = own->parent, .events = POLLIN, .revents = 0};
    while (::poll(&death, 1, -1) < 0 && errno == EINTR) continue;
    *own->stop = true;
    std::this_thread::sleep_for(own->patience);
    ::kill(::getpid(), SIGKILL);
    return nullptr;
}

}  // namespace

void end_after(pid_t parent, std::atomic<bool>& stop, double patience) {
    const auto death = static_cast<int>(::syscall(SYS_pidfd_open, parent, 0));
    if (death < 0) return;  // before Linux 5.3
    auto what = std::make_unique<Watch>(Watch{death, &stop, std::chrono::duration<double>(patience)});
    // Signals are for the threads of the run.
    sigset_t all, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_t attributes;
    ::pthread_attr_init(&attributes);
    ::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    ::pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN + 64 * 1024);
    pthread_t thread{};
    if (::pthread_create(&thread, &attributes, watch, what.get()) == 0)
        what.release();
    else
        ::close(death);
    ::pthread_attr_destroy(&attributes);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace master::runs
