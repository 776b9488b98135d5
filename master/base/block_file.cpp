#include "master/base/block_file.hpp"

#include "master/base/error.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace master::base {

namespace {

constexpr int lowest_kept = 128;

/// The same open file under a number that is out of the way, where there is one left.
int out_of_the_way(int descriptor) {
    if (descriptor < 0) return descriptor;
    const int high = ::fcntl(descriptor, F_DUPFD_CLOEXEC, lowest_kept);
    if (high < 0) return descriptor;
    ::close(descriptor);
    return high;
}

void make_folder_of(const std::filesystem::path& path) {
    if (!path.has_parent_path()) return;
    std::error_code problem;
    std::filesystem::create_directories(path.parent_path(), problem);
    if (problem)
        throw Error("write-failed", path.parent_path().string(), "cannot make the folder: " + problem.message(),
                    Exit::failed);
}

[[noreturn]] void lost(const std::filesystem::path& path, const std::string& what) {
    throw Error("write-failed", path.string(),
                "the file was changed while it was written, by a unit of this process or by another program: " + what,
                Exit::failed);
}

FileIdentity identity_of(const struct stat& status) { return {status.st_dev, status.st_ino}; }

}  // namespace

std::optional<FileIdentity> FileIdentity::of(const std::filesystem::path& path) {
    struct stat status = {};
    if (::lstat(path.c_str(), &status) != 0) return std::nullopt;
    return identity_of(status);
}

void check_name(const std::filesystem::path& path, const FileIdentity& written) {
    const auto found = FileIdentity::of(path);
    if (!found) lost(path, "there is nothing of its name any more");
    if (*found != written) lost(path, "another one has its name");
}

BlockFile BlockFile::create(const std::filesystem::path& path) {
    make_folder_of(path);
    return {path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC};
}

BlockFile BlockFile::create_new(const std::filesystem::path& path) {
    make_folder_of(path);
    return {path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC};
}

BlockFile BlockFile::append_to(const std::filesystem::path& path) {
    BlockFile file(path, O_RDWR | O_CLOEXEC);
    const off_t end = ::lseek(file.descriptor_, 0, SEEK_END);
    if (end < 0) file.fail("seek in");
    file.end_ = static_cast<std::uint64_t>(end);
    return file;
}

BlockFile::BlockFile(std::filesystem::path path, int flags)
    : path_(std::move(path)), descriptor_(out_of_the_way(::open(path_.c_str(), flags, 0644))) {
    if (descriptor_ < 0) fail("open");
    struct stat status = {};
    if (::fstat(descriptor_, &status) != 0) fail("examine");
    identity_ = identity_of(status);
    absolute_ = std::filesystem::absolute(path_);
    linked_ = FileIdentity::of(absolute_) != identity_;
}

BlockFile::~BlockFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

BlockFile::BlockFile(BlockFile&& other) noexcept
    : path_(std::move(other.path_)),
      absolute_(std::move(other.absolute_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      identity_(other.identity_),
      linked_(other.linked_),
      end_(other.end_) {}

BlockFile& BlockFile::operator=(BlockFile&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(absolute_, other.absolute_);
    std::swap(descriptor_, other.descriptor_);
    std::swap(identity_, other.identity_);
    std::swap(linked_, other.linked_);
    std::swap(end_, other.end_);
    return *this;
}

void BlockFile::make_whole() {
    struct stat status = {};
    const auto is_ours = [&] { return ::fstat(descriptor_, &status) == 0 && identity_of(status) == identity_; };
    if (!is_ours()) {
        // Whoever has the number now may keep it.
        descriptor_ = out_of_the_way(::open(absolute_.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
        if (descriptor_ < 0) lost(path_, "its descriptor was closed, and it cannot be opened again");
        if (!is_ours()) lost(path_, "another one has its name");
        if (::lseek(descriptor_, static_cast<off_t>(end_), SEEK_SET) < 0) fail("seek in");
    }
    if (!S_ISREG(status.st_mode)) return;
    const auto found = static_cast<std::uint64_t>(status.st_size);
    if (found > end_) truncate(end_);
    if (found < end_) lost(path_, std::to_string(end_ - found) + " bytes at its end are gone");
}

void BlockFile::write(std::span<const char> bytes) {
    make_whole();
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail("write");
        bytes = bytes.subspan(static_cast<std::size_t>(written));
        end_ += static_cast<std::uint64_t>(written);
    }
}

void BlockFile::write_at(std::uint64_t offset, std::span<const char> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail("write");
        bytes = bytes.subspan(static_cast<std::size_t>(written));
        offset += static_cast<std::uint64_t>(written);
        end_ = std::max(end_, offset);
    }
}

std::uint64_t BlockFile::size() const {
    struct stat status = {};
    if (::fstat(descriptor_, &status) != 0) fail("examine");
    return static_cast<std::uint64_t>(status.st_size);
}

std::size_t BlockFile::read_at(std::uint64_t offset, std::span<char> bytes) const {
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t got =
            ::pread(descriptor_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail("read");
        if (got == 0) break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

void BlockFile::truncate(std::uint64_t size) {
    if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) fail("cut off");
    if (::lseek(descriptor_, static_cast<off_t>(size), SEEK_SET) < 0) fail("seek in");
    end_ = size;
}

void BlockFile::close() {
    if (descriptor_ < 0) return;
    try {
        make_whole();
        if (!linked_) check_name(absolute_, identity_);
    } catch (...) {
        ::close(std::exchange(descriptor_, -1));
        throw;
    }
    // Some file systems report a full disk only here.
    if (::close(std::exchange(descriptor_, -1)) != 0) fail("close");
}

void BlockFile::fail(const char* doing) const {
    throw Error("write-failed", path_.string(), std::string("cannot ") + doing + " the file: " + std::strerror(errno),
                Exit::failed);
}

HighDescriptors::HighDescriptors() {
    int filler = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    while (filler >= 0 && filler < lowest_kept) {
        fillers_.push_back(filler);
        filler = ::fcntl(filler, F_DUPFD_CLOEXEC, 0);
    }
    if (filler >= 0) ::close(filler);
}

HighDescriptors::~HighDescriptors() {
    for (const int filler : fillers_) ::close(filler);
}

}  // namespace master::base
