#include "master/base/temporary_folder.hpp"

#include "master/base/error.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace master::base {
namespace {

// Beside the content, so that nothing that is unpacked can stand in its place.
constexpr const char* owner_file = "owner";
constexpr const char* content_folder = "content";
// What a folder is called until it has its marker.
constexpr const char* unmarked = "tandem-unmarked-";
constexpr int most_attempts = 100;

/// The marker of a folder, with its lock; negative where another process has it, or where it is no marker of ours.
int lock_owner_file(const std::filesystem::path& folder, int flags) {
    const int file = ::open((folder / owner_file).c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC | flags, 0600);
    if (file < 0) return -1;
    struct stat found = {};
    const bool ours = ::fstat(file, &found) == 0 && S_ISREG(found.st_mode) && found.st_uid == ::geteuid();
    if (ours && ::flock(file, LOCK_EX | LOCK_NB) == 0) return file;
    ::close(file);
    return -1;
}

/// The marker goes last: whoever is killed in between leaves a folder that can be seen to be abandoned.
void remove_with_owner_last(const std::filesystem::path& folder) {
    std::error_code ignored;  // nobody can be told; what is left is in the system's temporary folder
    std::filesystem::remove_all(folder / content_folder, ignored);
    std::filesystem::remove_all(folder, ignored);
}

}  // namespace

TemporaryFolder::TemporaryFolder(const std::string& prefix) {
    std::error_code failure;
    const std::filesystem::path parent = std::filesystem::temp_directory_path(failure);
    if (failure) throw Error("write-failed", "", "TMPDIR names no folder: " + failure.message(), Exit::failed);
    // Who looks for abandoned folders may be quicker with a new one than its owner.
    int problem = EWOULDBLOCK;
    for (int attempt = 0;
         (problem == EWOULDBLOCK || problem == ENOENT || problem == ENOTEMPTY) && attempt < most_attempts; ++attempt) {
        remove();
        std::string name = (parent / (unmarked + std::string("XXXXXX"))).string();
        if (mkdtemp(name.data()) != nullptr) {
            root_ = name;
            owner_ = lock_owner_file(root_, O_CREAT | O_EXCL);
            const std::filesystem::path marked = parent / (prefix + name.substr(name.size() - 6));
            if (owner_ >= 0 && std::rename(root_.c_str(), marked.c_str()) == 0) {
                root_ = marked;
                path_ = root_ / content_folder;
                if (::mkdir(path_.c_str(), 0700) == 0) return;
            }
        }
        problem = errno;
    }
    remove();
    throw Error("write-failed", parent.string(),
                std::string("no temporary folder can be made there: ") + std::strerror(problem), Exit::failed);
}

TemporaryFolder::~TemporaryFolder() { remove(); }

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : root_(std::exchange(other.root_, {})),
      path_(std::exchange(other.path_, {})),
      owner_(std::exchange(other.owner_, -1)) {}

TemporaryFolder& TemporaryFolder::operator=(TemporaryFolder&& other) noexcept {
    if (this == &other) return *this;
    remove();
    root_ = std::exchange(other.root_, {});
    path_ = std::exchange(other.path_, {});
    owner_ = std::exchange(other.owner_, -1);
    return *this;
}

void TemporaryFolder::remove() noexcept {
    if (!root_.empty()) {
        remove_with_owner_last(root_);
        root_.clear();
    }
    if (owner_ >= 0) ::close(std::exchange(owner_, -1));
}

void remove_abandoned_folders() {
    std::error_code failure;
    const std::filesystem::path parent = std::filesystem::temp_directory_path(failure);
    if (failure) return;
    for (std::filesystem::directory_iterator entry(parent, failure), end; !failure && entry != end;
         entry.increment(failure)) {
        if (!entry->path().filename().string().starts_with("tandem-")) continue;
        std::error_code problem;
        if (!entry->is_directory(problem) || entry->is_symlink(problem)) continue;
        const int owner = lock_owner_file(entry->path(), 0);
        if (owner < 0) {
            // One that its owner had no time to mark is empty; if that owner still lives, it makes another.
            if (entry->path().filename().string().starts_with(unmarked)) ::rmdir(entry->path().c_str());
            continue;
        }
        remove_with_owner_last(entry->path());
        ::close(owner);
    }
}

}  // namespace master::base
