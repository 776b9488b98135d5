#include "master/runs/supervisor.hpp"

#include "master/runs/interrupt.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

namespace master::runs {
namespace {

constexpr double look_period = 0.2;  // s
constexpr double most_rest = 1;      // s
/// Tools that end a group of processes send the same signal twice in a moment.
constexpr double same_interrupt = 0.05;  // s

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::string signal_text(int signal, bool stack_overflow) {
    if (stack_overflow) return "stack overflow";
    const char* const known = ::sigdescr_np(signal);
    std::string text = known == nullptr ? fmt::format("signal {}", signal) : known;
    text.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(text.front())));
    if (signal == SIGKILL) text += " (SIGKILL: by somebody, or by the system for want of memory)";
    return text;
}

std::string gigabytes(std::uint64_t bytes) { return fmt::format("{:.3g} GB", static_cast<double>(bytes) / 1e9); }

/// "unit 'a' at t = 0.5"; with several threads it may have been any of those that were in a call.
std::string place(std::span<const Board::UnderWay> calls, double t) {
    std::string units;
    for (const Board::UnderWay& call : calls)
        units += fmt::format("{}{}", units.empty() ? "" : " or ",
                             call.unit.empty() ? std::string("a unit") : "unit '" + call.unit + "'");
    return fmt::format("{} at t = {}", units, t);
}

std::string last_message(const Board::UnderWay& call) {
    return call.last_message.empty() ? std::string{} : "; its last message: " + call.last_message;
}

}  // namespace

/// Blocks what this process waits for, and hands it out one by one.
class Supervisor::Signals {
public:
    Signals() {
        sigset_t set;
        ::sigemptyset(&set);
        ::sigaddset(&set, SIGCHLD);
        // What is ignored stays ignored: nohup, jobs in the background.
        for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
            struct sigaction found = {};
            ::sigaction(signal, nullptr, &found);
            if (found.sa_handler != SIG_IGN) ::sigaddset(&set, signal);
        }
        ::sigprocmask(SIG_BLOCK, &set, &before_);
        descriptor_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
        if (descriptor_ < 0)
            throw base::Error("memory", "", std::string("no signals can be waited for: ") + std::strerror(errno),
                              base::Exit::failed);
    }
    ~Signals() {
        ::close(descriptor_);
        restore();
    }
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;

    void restore() const { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }
    [[nodiscard]] int descriptor() const { return descriptor_; }
    /// 0 when there is none.
    [[nodiscard]] int next() {
        signalfd_siginfo info = {};
        return ::read(descriptor_, &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo) : 0;
    }

private:
    sigset_t before_{};
    int descriptor_ = -1;
};

Supervisor::Supervisor(const SupervisorOptions& options, base::Log& log)
    : options_(options), log_(log), block_(Board::bytes()), board_(Board::make(block_.data())) {}

Ending Supervisor::run(const std::function<int()>& work, const std::function<void(const Ending&)>& conclude,
                       Companion* companion) {
    Signals signals;
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // processes that the other one leaves behind
    const pid_t parent = ::getpid();
    std::fflush(nullptr);
    child_ = ::fork();
    if (child_ == 0) {
        if (companion != nullptr) companion->leave();
        work_in_child(work, parent, signals);
    }
    if (child_ < 0)
        throw base::Error("memory", "", std::string("no process can be started for the run: ") + std::strerror(errno),
                          base::Exit::failed);
    if (companion != nullptr) companion->begin();
    Ending ending = ending_of(watch(signals));
    ending.interrupted = interrupts_ > 0;
    if (ending.error) wait_for_the_rest();
    conclude(ending);
    if (companion != nullptr) companion->end(ending);
    // A Ctrl-C that came too late ends nothing any more; a companion may wait for it.
    while (companion == nullptr && signals.next() != 0) continue;
    return ending;
}

/// A shadow of the run dies with it, but not at once.
void Supervisor::wait_for_the_rest() const {
    const double begin = now();
    while (now() < begin + most_rest) {
        const pid_t found = ::waitpid(-1, nullptr, WNOHANG);
        if (found < 0) return;
        if (found == 0) ::usleep(2000);
    }
}

base::Error Supervisor::out_of_memory() const {
    std::string text = "out of memory";
    if (options_.memory_limit) text += fmt::format(" (--memory-limit {})", gigabytes(*options_.memory_limit));
    return base::Error("memory", "", text, base::Exit::failed);
}

void Supervisor::work_in_child(const std::function<int()>& work, pid_t parent, const Signals& signals) {
    InterruptGuard::obey(board_.stop, parent, options_.unit_timeout.value_or(options_.patience));
    signals.restore();
    ::close(signals.descriptor());
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(static_cast<int>(base::Exit::failed));  // it died before it could be watched
    if (options_.memory_limit) {
        const rlimit limit{*options_.memory_limit, *options_.memory_limit};
        ::setrlimit(RLIMIT_DATA, &limit);
    }
    board_.watch_this_process();
    // A unit that calls exit ends the process here, before what it does not own is taken down.
    ::on_exit([](int code, void*) { ::_exit(code); }, nullptr);
    const int code = work();
    std::fflush(nullptr);
    board_.finish(code);
    // Not exit(): threads that units left behind may still run.
    ::_exit(code);
}

int Supervisor::watch(Signals& signals) {
    const double period = std::min(look_period, options_.unit_timeout.value_or(1) / 4);
    double last = now();
    while (true) {
        int status = 0;
        const pid_t found = ::waitpid(child_, &status, WNOHANG);
        if (found == child_) return status;
        if (found < 0 && errno != EINTR) return W_EXITCODE(static_cast<int>(base::Exit::failed), 0);
        pollfd descriptor{.fd = signals.descriptor(), .events = POLLIN, .revents = 0};
        ::poll(&descriptor, 1, static_cast<int>(std::max(period * 1000, 1.0)));
        while (const int signal = signals.next()) {
            if (signal != SIGCHLD) interrupt(signal);
        }
        // Time in which this process was stopped itself (Ctrl-Z) does not count.
        waited_ += std::min(now() - last, 2 * period);
        last = now();
        look();
    }
}

void Supervisor::look() {
    if (const std::uint64_t progress = board_.progress(); progress != progress_) {
        progress_ = progress;
        waited_ = 0;
        told_ = false;
        return;
    }
    const std::vector<Board::UnderWay> calls = board_.under_way();
    if (calls.empty()) return;
    if (options_.unit_timeout && waited_ >= *options_.unit_timeout && !timed_out_) {
        timed_out_ = true;
        kill_child();
        return;
    }
    if (waited_ < options_.patience || told_) return;
    told_ = true;
    log_.warning(place(calls, board_.seconds()),
                 fmt::format("{} has not come back for {:.0f} s; the run waits (--unit-timeout S ends it, Ctrl-C twice "
                             "too)",
                             calls.front().function, waited_));
}

void Supervisor::interrupt(int signal) {
    if (now() - last_interrupt_ < same_interrupt) return;
    last_interrupt_ = now();
    // Before the first step there is nothing that would have to be kept.
    if (++interrupts_ > 1 || board_.phase() == Board::Phase::preparing) return kill_child();
    board_.stop = true;
    ::kill(child_, signal);  // wakes what sleeps in a call
}

void Supervisor::kill_child() { ::kill(child_, SIGKILL); }

std::string Supervisor::memory_text() const {
    if (!options_.memory_limit) return {};
    const std::uint64_t used = board_.crash().data_bytes;
    return fmt::format("; --memory-limit was {}{}", gigabytes(*options_.memory_limit),
                       used == 0 ? "" : ", in use were " + gigabytes(used));
}

Ending Supervisor::ending_of(int status) const {
    // A unit may have written to the board.
    const std::optional<int> code = board_.finished();
    if (code && WIFEXITED(status) && WEXITSTATUS(status) == *code) return {.code = *code, .error = std::nullopt};
    const int failed = static_cast<int>(base::Exit::failed);
    const double t = board_.seconds();
    std::vector<Board::UnderWay> calls = board_.under_way();
    const std::string where = calls.empty() ? fmt::format("t = {}", t) : place(calls, t);
    const std::string in = calls.empty() ? "" : " in " + calls.front().function;
    const std::string message = calls.empty() ? "" : last_message(calls.front());
    const std::string kept =
        board_.phase() == Board::Phase::complete ? "; results, run.json and the report are complete" : "";
    if (timed_out_)
        return {failed, base::Error("unit-timeout", where,
                                    fmt::format("no answer{} within {} s (--unit-timeout){}{}", in,
                                                *options_.unit_timeout, kept, message),
                                    base::Exit::failed)};
    if (interrupts_ > 0) {
        const std::string early = board_.phase() == Board::Phase::preparing ? " before the first step" : " at once";
        return {static_cast<int>(base::Exit::interrupted),
                base::Error("interrupted", where, "stopped" + early + in + kept, base::Exit::interrupted)};
    }
    const Board::Crash& crash = board_.crash();
    std::string what = fmt::format("the process was ended by calling exit({})", WEXITSTATUS(status));
    if (WIFSIGNALED(status))
        what = signal_text(WTERMSIG(status), crash.stack_overflow && crash.signal == WTERMSIG(status));
    if (!calls.empty())
        return {failed,
                base::Error("fmu-crash", where, what + in + kept + memory_text() + message, base::Exit::failed)};
    const bool foreign_thread = crash.signal != 0 && crash.slot == -1;
    if (foreign_thread) what += " in a thread that a unit started";
    if (const auto others = board_.unfinished(); foreign_thread && !others.empty())
        what += fmt::format("; the run was in {} of unit '{}'", others.front().function, others.front().unit);
    if (const auto owners = board_.owners_of_crash(); !owners.empty() && foreign_thread)
        return {failed, base::Error("fmu-crash", place(owners, t),
                                    what + kept + memory_text() + last_message(owners.front()), base::Exit::failed)};
    if (foreign_thread)
        return {failed, base::Error("fmu-crash", where, what + kept + memory_text(), base::Exit::failed)};
    return {failed, base::Error("crash", where, what + ", in none of the units' calls" + kept + memory_text(),
                                base::Exit::failed)};
}

}  // namespace master::runs
