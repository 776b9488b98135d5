#include "master/view/film/program.hpp"

#include "master/base/error.hpp"
#include "master/runs/interrupt.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace master::view {
namespace {

constexpr std::chrono::milliseconds poll_period{100};

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds group_pause{5};
constexpr int most_looks = 400;

/// Between fork and exec: only what may be called there.
[[noreturn]] void become(char* const* arguments, char* const* environment, std::span<const int> descriptors) {
    ::setpgid(0, 0);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(signal, SIG_DFL);
    // First all out of the way of the numbers they get.
    constexpr int beyond = 64;
    std::array<int, 8> moved{};
    const auto count = static_cast<int>(std::min(descriptors.size(), moved.size()));
    for (int i = 0; i < count; ++i) moved.at(i) = ::fcntl(descriptors[i], F_DUPFD, beyond);
    for (int i = 0; i < count; ++i) ::dup2(moved.at(i), i);
    ::close_range(static_cast<unsigned>(count), ~0U, 0);
    ::execve(arguments[0], arguments, environment);
    ::_exit(127);
}

std::vector<std::string> environment_with(const std::filesystem::path& temporary) {
    constexpr std::string_view name = "TMPDIR=";
    std::vector<std::string> all;
    for (char** each = environ; *each != nullptr; ++each)
        if (temporary.empty() || !std::string_view(*each).starts_with(name)) all.emplace_back(*each);
    if (!temporary.empty()) all.push_back(std::string(name) + temporary.string());
    return all;
}

void refuse_interrupt() {
    if (runs::InterruptGuard::interrupted()) throw Interrupted();
}

std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> all;
    all.reserve(words.size());
    for (std::string& word : words) all.push_back(word.data());
    all.push_back(nullptr);
    return all;
}

base::BoundProcess started(const Program::Line& line) {
    std::vector<std::string> words{line.program.string()};
    words.insert(words.end(), line.arguments.begin(), line.arguments.end());
    std::vector<std::string> variables = environment_with(line.temporary);
    const std::vector<char*> arguments = pointers(words), environment = pointers(variables);
    const Descriptor nowhere(::open("/dev/null", O_RDWR | O_CLOEXEC));
    std::vector<int> descriptors = line.descriptors;
    std::ranges::replace(descriptors, -1, nowhere.number());
    while (descriptors.size() < 3) descriptors.push_back(nowhere.number());
    return {words.front(), [&] { become(arguments.data(), environment.data(), descriptors); }};
}

}  // namespace

Descriptor::Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
    if (this == &other) return *this;
    close();
    number_ = std::exchange(other.number_, -1);
    return *this;
}

void Descriptor::close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
}

Pipe::Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        throw base::Error("view", "--video", std::string("no pipe can be made: ") + std::strerror(errno),
                          base::Exit::failed);
    read = Descriptor(ends[0]);
    write = Descriptor(ends[1]);
}

std::filesystem::path find_program(std::span<const std::string_view> names, std::string_view package,
                                   std::string_view purpose) {
    const char* const path = std::getenv("PATH");
    const std::string_view folders = path != nullptr ? path : "/usr/bin:/bin";
    for (const std::string_view name : names) {
        for (std::size_t begin = 0; begin <= folders.size();) {
            const std::size_t end = std::min(folders.find(':', begin), folders.size());
            auto file = std::filesystem::path(folders.substr(begin, end - begin)) / name;
            if (file.is_absolute() && ::access(file.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(file))
                return file;
            begin = end + 1;
        }
    }
    throw base::Error("missing-program", std::string(names.front()),
                      fmt::format("is not on PATH, and is needed to {} (Debian: apt-get install {})", purpose, package),
                      base::Exit::failed);
}

Program::Program(const Line& line) : process_(started(line)) {
    ::setpgid(process_.number(), process_.number());  // whoever is first
}

Program::~Program() {
    const pid_t group = process_.number();
    // Also where the program itself has ended: it may have left children.
    ::kill(-group, SIGKILL);
    process_.end();
    // Until they are gone they may write where somebody wants to remove what they wrote.
    for (int i = 0; i < most_looks && ::kill(-group, 0) == 0; ++i) std::this_thread::sleep_for(group_pause);
}

std::optional<int> Program::wait(std::chrono::duration<double> most) { return process_.wait(most, &refuse_interrupt); }

bool wait_for(int descriptor, short events, std::chrono::duration<double> most) {
    const auto until = Clock::now() + most;
    while (Clock::now() < until) {
        refuse_interrupt();
        pollfd waited{.fd = descriptor, .events = events, .revents = 0};
        if (::poll(&waited, 1, static_cast<int>(poll_period.count())) > 0) return true;
    }
    return false;
}

}  // namespace master::view
