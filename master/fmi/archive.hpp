#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace master::fmi {

/// Limits against hostile archives.
struct ArchiveLimits {
    std::uint64_t total_bytes = 8ULL << 30;
    std::uint64_t files = 200'000;
    double ratio = 2000;  // unpacked / packed, of files larger than 64 MiB
};

/// SHA-256 of a file's content, in hexadecimal.
[[nodiscard]] std::string sha256_of(const std::filesystem::path& file);

/// An unpacked archive (FMU or SSP): a private temporary folder, removed with the object. Path traversal, absolute
/// paths, symbolic links and absurd sizes are refused before anything is written.
class Archive {
public:
    explicit Archive(const std::filesystem::path& file, const ArchiveLimits& limits = {});
    ~Archive();
    Archive(Archive&& other) noexcept;
    Archive& operator=(Archive&& other) noexcept;
    Archive(const Archive&) = delete;
    Archive& operator=(const Archive&) = delete;

    [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
    [[nodiscard]] const std::string& sha256() const { return sha256_; }

private:
    std::filesystem::path folder_;
    std::string sha256_;
};

}  // namespace master::fmi
