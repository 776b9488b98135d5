#include "master/runs/put_back.hpp"

#include <csignal>
#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace master::runs {
namespace {

constexpr int lowest_copy = 64;  // out of the way of files that are opened and closed

bool equal(const struct stat& left, const struct stat& right) {
    return left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}

/// The same stream of the process that watches this one, for a unit that closed everything.
int open_of_parent(int stream) {
    const std::string path = "/proc/" + std::to_string(::getppid()) + "/fd/" + std::to_string(stream);
    return ::open(path.c_str(), (stream == 0 ? O_RDONLY : O_WRONLY | O_APPEND) | O_CLOEXEC);
}

mode_t present_umask() {
    const mode_t found = ::umask(0);
    ::umask(found);
    return found;
}

}  // namespace

StandardStreams::StandardStreams() {
    for (int i = 0; i < count; ++i) {
        kept_[i] = ::fcntl(i, F_DUPFD_CLOEXEC, lowest_copy);
        ::fstat(kept_[i], &files_[i]);
    }
}

StandardStreams::~StandardStreams() {
    for (int i = 0; i < count; ++i)
        if (is_ours(i)) ::close(kept_[i]);
}

bool StandardStreams::restore() const {
    bool changed = false;
    for (int i = 0; i < count; ++i) {
        struct stat now = {};
        if (kept_[i] < 0 || (::fstat(i, &now) == 0 && equal(now, files_[i]))) continue;
        const int source = is_ours(i) ? kept_[i] : open_of_parent(i);
        if (source < 0) continue;
        changed |= ::dup2(source, i) == i;
        if (source != kept_[i] && source != i) ::close(source);
    }
    return changed;
}

bool StandardStreams::is_ours(int i) const {
    struct stat now = {};
    return kept_[i] >= 0 && ::fstat(kept_[i], &now) == 0 && equal(now, files_[i]);
}

PutBack::PutBack(const Board& board) : board_(board), umask_(present_umask()) {
    for (Limit& limit : limits_) ::getrlimit(limit.resource, &limit.value);
}

std::string PutBack::restore() {
    std::string names = state_.restore();
    const auto add = [&](const char* name) { names += (names.empty() ? "" : ", ") + std::string(name); };
    if (streams_.restore()) add("the standard streams");
    if (::umask(umask_) != umask_) add("the rights of new files");
    for (const Limit& limit : limits_) {
        rlimit now = {};
        const bool changed = ::getrlimit(limit.resource, &now) == 0 &&
                             (now.rlim_cur != limit.value.rlim_cur || now.rlim_max != limit.value.rlim_max);
        if (!changed) continue;
        add(limit.name);
        if (::setrlimit(limit.resource, &limit.value) == 0) continue;
        if (limit.resource == RLIMIT_FSIZE && board_.is_watched()) {
            std::signal(SIGXFSZ, SIG_DFL);
            std::raise(SIGXFSZ);
        }
    }
    return names;
}

}  // namespace master::runs
