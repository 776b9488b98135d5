#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace master::base {

/// Which file a name stands for; a link stands for itself.
struct FileIdentity {
    std::uint64_t device = 0, node = 0;

    [[nodiscard]] static std::optional<FileIdentity> of(const std::filesystem::path& path);
    friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

/// Throws `Error` (exit code 1) where the name stands for another file than the one that was written, or for none.
void check_name(const std::filesystem::path& path, const FileIdentity& written);

/// A result file that is written in large blocks, without a buffer of its own. Failures (disk full) throw `Error` with
/// exit code 1. Units share the process: a descriptor that one of them took away is opened again, what it wrote behind
/// the end is cut off; what it cut off itself is such a failure, and so is another file under its name when it is
/// closed.
class BlockFile {
public:
    BlockFile() = default;
    /// Makes missing folders and an empty file.
    [[nodiscard]] static BlockFile create(const std::filesystem::path& path);
    /// The same, but only where there is no such file, and no link of that name.
    [[nodiscard]] static BlockFile create_new(const std::filesystem::path& path);
    /// Opens an existing file for reading and writing and goes to its end.
    [[nodiscard]] static BlockFile append_to(const std::filesystem::path& path);
    ~BlockFile();
    BlockFile(BlockFile&& other) noexcept;
    BlockFile& operator=(BlockFile&& other) noexcept;
    BlockFile(const BlockFile&) = delete;
    BlockFile& operator=(const BlockFile&) = delete;

    void write(std::span<const char> bytes);
    void write_at(std::uint64_t offset, std::span<const char> bytes);
    /// What is there, at most so many bytes.
    [[nodiscard]] std::size_t read_at(std::uint64_t offset, std::span<char> bytes) const;
    [[nodiscard]] std::uint64_t size() const;
    /// Where the next `write` goes.
    [[nodiscard]] std::uint64_t end() const { return end_; }
    /// Cuts the file off, and goes to its new end.
    void truncate(std::uint64_t size);
    void close();
    [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }

private:
    BlockFile(std::filesystem::path path, int flags);
    [[noreturn]] void fail(const char* doing) const;
    void make_whole();

    std::filesystem::path path_;
    std::filesystem::path absolute_;  // a unit may change the working directory
    int descriptor_ = -1;
    FileIdentity identity_;
    bool linked_ = false;  // the name is that of a link to it
    std::uint64_t end_ = 0;
};

/// While it lives, whatever a library opens gets a number that is as much out of the way as that of a BlockFile: a unit
/// that closes one of its own descriptors a second time does not hit it.
class HighDescriptors {
public:
    HighDescriptors();
    ~HighDescriptors();
    HighDescriptors(const HighDescriptors&) = delete;
    HighDescriptors& operator=(const HighDescriptors&) = delete;

private:
    std::vector<int> fillers_;
};

}  // namespace master::base
