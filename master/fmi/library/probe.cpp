#include "master/fmi/library/probe.hpp"

#include "master/base/printable.hpp"
#include "master/base/sha256.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace master::fmi {
namespace {

constexpr int opening_time = 20;  // s, for a library and all that it needs
constexpr std::size_t longest_answer = 1 << 20;

std::filesystem::path helper() {
    std::error_code none;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", none);
    const auto beside = self.parent_path() / "tandem-probe";
    return std::filesystem::exists(beside, none) ? beside : std::filesystem::path{};
}

/// Where the hashes of libraries that were opened before are kept; empty where there is no such place.
std::filesystem::path cache_folder() {
    const char* cache = std::getenv("XDG_CACHE_HOME");
    if (cache != nullptr && *cache == '/') return std::filesystem::path(cache) / "tandem" / "libraries";
    const char* home = std::getenv("HOME");
    if (home == nullptr || *home != '/') return {};
    return std::filesystem::path(home) / ".cache" / "tandem" / "libraries";
}

class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() { close(); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    void close() {
        if (number_ >= 0) ::close(number_);
        number_ = -1;
    }
    [[nodiscard]] int get() const { return number_; }
    [[nodiscard]] int release() { return std::exchange(number_, -1); }

private:
    int number_;
};

/// Everything the helper prints until it closes its end; false when that takes longer than `seconds` in all.
bool read_all(int from, int seconds, std::string& text) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::seconds(seconds);
    std::array<char, 4096> buffer{};
    while (text.size() < longest_answer) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
        if (left <= 0) return false;
        pollfd waiting{from, POLLIN, 0};
        const int ready = poll(&waiting, 1, static_cast<int>(left));
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return false;
        const ssize_t count = ::read(from, buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return true;
        text.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return false;
}

/// Foreign code may print: what it says goes nowhere, the answers have a descriptor of their own. It gets no other
/// descriptor of ours.
std::optional<pid_t> start_helper(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                                  int request, int answers) {
    constexpr int answers_there = STDERR_FILENO + 1;
    std::vector<std::string> texts{program.string(), std::to_string(answers_there)};
    texts.insert(texts.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, request, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, answers, answers_there);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclosefrom_np(&actions, answers_there + 1);
    pid_t child = 0;
    const int failed = posix_spawn(&child, program.c_str(), &actions, nullptr, pointers.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    return failed == 0 ? std::optional(child) : std::nullopt;
}

std::string ending(int status) {
    if (WIFSIGNALED(status)) return fmt::format("the process died of {}", strsignal(WTERMSIG(status)));
    return fmt::format("the process ended with {}", WEXITSTATUS(status));
}

/// What the helper reads from its standard input: a file in memory, whose length blocks nobody.
int request_file(const std::string& request) {
    const int file = memfd_create("request", MFD_CLOEXEC);
    for (std::size_t done = 0; file >= 0 && done < request.size();) {
        const ssize_t count = ::write(file, request.data() + done, request.size() - done);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        done += static_cast<std::size_t>(count);
    }
    if (file >= 0) lseek(file, 0, SEEK_SET);
    return file;
}

/// How a child ended; killed when it has not by then.
int ended_within(pid_t child, int seconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    int status = 0;
    while (true) {
        const pid_t found = waitpid(child, &status, WNOHANG);
        if (found == child || (found < 0 && errno != EINTR)) return status;
        if (std::chrono::steady_clock::now() > end) kill(child, SIGKILL);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

ProbeAnswer call(const std::vector<std::string>& arguments, const std::string& request, int seconds) {
    ProbeAnswer answer;
    const std::filesystem::path program = helper();
    if (program.empty()) return answer;
    Descriptor question(request_file(request));
    std::array<int, 2> answers{};
    if (question.get() < 0 || pipe2(answers.data(), O_CLOEXEC) != 0) return answer;
    Descriptor answer_read(answers[0]), answer_write(answers[1]);
    const auto child = start_helper(program, arguments, question.get(), answer_write.get());
    if (!child) return answer;
    answer_write.close();
    std::string text;
    const bool in_time = read_all(answer_read.get(), seconds, text);
    if (!in_time) kill(*child, SIGKILL);
    // It has closed its answers and may still be there.
    const int status = ended_within(*child, seconds);
    answer.available = true;
    answer.success = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    answer.results = read_answers(text);
    const auto said = answer.results.find("error");
    if (said != answer.results.end()) answer.text = said->second;
    if (answer.success || !answer.text.empty()) return answer;
    answer.died = true;
    answer.text = in_time ? ending(status) : fmt::format("no end of it within {} s", seconds);
    const auto stage = answer.results.find("stage");
    if (stage != answer.results.end()) answer.text += " in " + stage->second;
    return answer;
}

/// Our own folder, as nobody else can change it; -1 where there is none.
int open_cache() {
    const std::filesystem::path folder = cache_folder();
    if (folder.empty()) return -1;
    std::error_code none;
    std::filesystem::create_directories(folder.parent_path().parent_path(), none);
    for (const std::filesystem::path& part : {folder.parent_path(), folder}) mkdir(part.c_str(), S_IRWXU);
    const auto ours = [](int descriptor) {
        struct stat status {};
        return fstat(descriptor, &status) == 0 && status.st_uid == geteuid() &&
               (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
    };
    constexpr int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    const Descriptor outer(open(folder.parent_path().c_str(), flags));
    if (outer.get() < 0 || !ours(outer.get())) return -1;
    Descriptor inner(openat(outer.get(), folder.filename().c_str(), flags));
    return inner.get() >= 0 && ours(inner.get()) ? inner.release() : -1;
}

}  // namespace

std::map<std::string, std::string> read_answers(std::string_view text) {
    constexpr std::array known{"stage",     "error", "instantiate", "initialize",   "save",
                               "serialize", "step",  "derivatives", "withheld-not", "done"};
    constexpr std::size_t longest_value = 500;
    std::map<std::string, std::string> answers;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = text.substr(begin, end - begin);
        const std::size_t space = line.find(' ');
        const std::string name(line.substr(0, space));
        if (space != std::string_view::npos && std::ranges::find(known, name) != known.end())
            answers[name] = base::printable(line.substr(space + 1, longest_value));
        begin = end + 1;
    }
    return answers;
}

ProbeAnswer open_in_helper(const std::filesystem::path& library, const std::string& first) {
    const Descriptor cache(open_cache());
    const std::string seen = cache.get() < 0 ? "" : base::sha256_of(library);
    struct stat status {};
    if (!seen.empty() && fstatat(cache.get(), seen.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(status.st_mode))
        return {.available = true, .success = true};
    ProbeAnswer answer = call({"open", library.string(), first}, {}, opening_time);
    if (answer.success && !seen.empty()) {
        const Descriptor mark(
            openat(cache.get(), seen.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
    }
    return answer;
}

ProbeAnswer try_in_helper(const std::string& request, const TrialLimits& limits) {
    return call({"try", limits.folder.string(), std::to_string(limits.seconds)}, request, limits.seconds);
}

ProbeAnswer describe_in_helper(const std::filesystem::path& library, const std::filesystem::path& folder) {
    const TrialLimits limits{.folder = folder};
    return call({"describe", library.string(), folder.string(), std::to_string(limits.seconds)}, {}, limits.seconds);
}

}  // namespace master::fmi
