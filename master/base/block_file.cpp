#include "master/base/block_file.hpp"

#include "master/base/error.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace master::base {

namespace {

void make_folder_of(const std::filesystem::path& path) {
    if (!path.has_parent_path()) return;
    std::error_code problem;
    std::filesystem::create_directories(path.parent_path(), problem);
    if (problem)
        throw Error("write-failed", path.parent_path().string(), "cannot make the folder: " + problem.message(),
                    Exit::failed);
}

}  // namespace

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
    if (::lseek(file.descriptor_, 0, SEEK_END) < 0) file.fail("seek in");
    return file;
}

BlockFile::BlockFile(std::filesystem::path path, int flags)
    : path_(std::move(path)), descriptor_(::open(path_.c_str(), flags, 0644)) {
    if (descriptor_ < 0) fail("open");
}

BlockFile::~BlockFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

BlockFile::BlockFile(BlockFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

BlockFile& BlockFile::operator=(BlockFile&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(descriptor_, other.descriptor_);
    return *this;
}

void BlockFile::write(std::span<const char> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail("write");
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
}

void BlockFile::write_at(std::uint64_t offset, std::span<const char> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail("write");
        bytes = bytes.subspan(static_cast<std::size_t>(written));
        offset += static_cast<std::uint64_t>(written);
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
    if (::lseek(descriptor_, 0, SEEK_END) < 0) fail("seek in");
}

void BlockFile::close() {
    if (descriptor_ < 0) return;
    // Some file systems report a full disk only here.
    if (::close(std::exchange(descriptor_, -1)) != 0) fail("close");
}

void BlockFile::fail(const char* doing) const {
    throw Error("write-failed", path_.string(), std::string("cannot ") + doing + " the file: " + std::strerror(errno),
                Exit::failed);
}

}  // namespace master::base
