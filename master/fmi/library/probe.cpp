#include "master/fmi/library/probe.hpp"

#include "master/base/sha256.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace master::fmi {
namespace {

constexpr int helper_patience = 20'000;  // ms until a helper that says nothing more is ended
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

private:
    int number_;
};

/// Everything the helper prints until it closes its end; false when it stays silent for too long.
bool read_all(int from, std::string& text) {
    std::array<char, 4096> buffer{};
    while (text.size() < longest_answer) {
        pollfd waiting{from, POLLIN, 0};
        const int ready = poll(&waiting, 1, helper_patience);
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return false;
        const ssize_t count = ::read(from, buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return true;
        text.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return true;
}

/// Foreign code may print: what it says goes nowhere, the answers have a descriptor of their own.
std::optional<pid_t> start_helper(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                                  int requests, int answers) {
    std::vector<std::string> texts{program.string(), std::to_string(answers)};
    texts.insert(texts.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, requests, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    const int failed = posix_spawn(&child, program.c_str(), &actions, nullptr, pointers.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    return failed == 0 ? std::optional(child) : std::nullopt;
}

std::string ending(int status) {
    if (WIFSIGNALED(status)) return fmt::format("the process died of {}", strsignal(WTERMSIG(status)));
    return fmt::format("the process ended with {}", WEXITSTATUS(status));
}

/// Lines of "name value" until the helper ended; "error" carries its words, "stage" what it was about to do.
void interpret(const std::string& text, ProbeAnswer& answer) {
    std::size_t begin = 0;
    while (begin < text.size()) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string line = text.substr(begin, end - begin);
        const std::size_t space = line.find(' ');
        if (space != std::string::npos) answer.results[line.substr(0, space)] = line.substr(space + 1);
        begin = end + 1;
    }
}

ProbeAnswer call(const std::vector<std::string>& arguments, const std::string& request) {
    ProbeAnswer answer;
    const std::filesystem::path program = helper();
    std::array<int, 2> questions{}, answers{};
    if (program.empty() || pipe2(questions.data(), 0) != 0) return answer;
    Descriptor question_read(questions[0]), question_write(questions[1]);
    if (pipe2(answers.data(), 0) != 0) return answer;
    Descriptor answer_read(answers[0]), answer_write(answers[1]);
    fcntl(question_write.get(), F_SETFD, FD_CLOEXEC);
    fcntl(answer_read.get(), F_SETFD, FD_CLOEXEC);

    const auto child = start_helper(program, arguments, question_read.get(), answer_write.get());
    if (!child) return answer;
    question_read.close();
    answer_write.close();
    // A request is smaller than a pipe's buffer, so that writing it cannot block.
    const bool sent = request.empty() || ::write(question_write.get(), request.data(), request.size()) > 0;
    question_write.close();
    std::string text;
    const bool in_time = sent && read_all(answer_read.get(), text);
    if (!in_time) kill(*child, SIGKILL);
    int status = 0;
    while (waitpid(*child, &status, 0) < 0 && errno == EINTR) {
    }
    answer.available = true;
    answer.success = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    interpret(text, answer);
    const auto said = answer.results.find("error");
    if (said != answer.results.end()) answer.text = said->second;
    if (answer.success || !answer.text.empty()) return answer;
    answer.died = true;
    answer.text = in_time ? ending(status) : fmt::format("no answer for {} s", helper_patience / 1000);
    const auto stage = answer.results.find("stage");
    if (stage != answer.results.end()) answer.text += " in " + stage->second;
    return answer;
}

}  // namespace

ProbeAnswer open_in_helper(const std::filesystem::path& library, const std::string& first) {
    const std::filesystem::path folder = cache_folder();
    const std::filesystem::path seen = folder.empty() ? folder : folder / base::sha256_of(library);
    std::error_code none;
    if (!seen.empty() && std::filesystem::exists(seen, none)) return {.available = true, .success = true};
    ProbeAnswer answer = call({"open", library.string(), first}, {});
    if (answer.success && !seen.empty()) {
        std::filesystem::create_directories(folder, none);
        std::ofstream{seen};
    }
    return answer;
}

ProbeAnswer try_in_helper(const std::string& request) { return call({"try"}, request); }

ProbeAnswer describe_in_helper(const std::filesystem::path& library, const std::filesystem::path& folder) {
    return call({"describe", library.string(), folder.string()}, {});
}

}  // namespace master::fmi
