#include "master/base/child_process.hpp"

#include "master/base/call_slot.hpp"
#include "master/base/error.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace master::base {
namespace {

constexpr std::chrono::milliseconds longest_pause{5};

void silence() {
    const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (nowhere >= 0) ::dup2(nowhere, stream);
}

[[noreturn]] void run(const std::function<int()>& work) {
    for (const int signal : {SIGINT, SIGHUP}) std::signal(signal, SIG_IGN);
    std::signal(SIGTERM, SIG_DFL);
    silence();
    call_slot = &unwatched_calls;  // the other one is the parent's
    int result = 1;
    try {
        result = work();
    } catch (...) {
        result = 1;  // nobody reads what it would say
    }
    // Not exit(): what the parent registered and buffered is the parent's.
    ::_exit(result);
}

}  // namespace

BoundProcess::BoundProcess(const std::string& what, const std::function<void()>& become) {
    const pid_t parent = ::getpid();
    number_ = ::fork();
    if (number_ == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() == parent) become();
        ::_exit(127);  // the parent died before it could be watched
    }
    if (number_ < 0)
        throw Error("memory", what, std::string("no process can be started: ") + std::strerror(errno), Exit::failed);
}

void BoundProcess::end() {
    if (ended()) return;
    ::kill(number_, SIGKILL);
    while (::waitpid(number_, nullptr, 0) < 0 && errno == EINTR) {
    }
    ended_ = -1;
}

std::optional<int> BoundProcess::ended() {
    if (ended_) return ended_;
    int status = 0;
    pid_t found = 0;
    while ((found = ::waitpid(number_, &status, WNOHANG)) < 0 && errno == EINTR) {
    }
    if (found == number_) ended_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return ended_;
}

std::optional<int> BoundProcess::wait(std::chrono::duration<double> most, void (*meanwhile)()) {
    using Clock = std::chrono::steady_clock;
    const auto until = Clock::now() + most;
    std::chrono::duration<double> pause = std::chrono::microseconds(200);
    while (!ended() && Clock::now() < until) {
        if (meanwhile != nullptr) meanwhile();
        std::this_thread::sleep_for(pause);
        pause = std::min<std::chrono::duration<double>>(2 * pause, longest_pause);
    }
    return ended_;
}

ChildProcess::ChildProcess(const std::function<int()>& work) : process_("", [&] { run(work); }) {}

}  // namespace master::base
