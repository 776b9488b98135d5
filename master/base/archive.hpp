#pragma once

#include "master/base/sha256.hpp"
#include "master/base/temporary_folder.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace master::base {

/// Limits against hostile archives.
struct ArchiveLimits {
    std::uint64_t total_bytes = 8ULL << 30;
    std::uint64_t files = 200'000;
    double ratio = 2000;       // unpacked / packed, of files larger than 64 MiB
    double total_ratio = 300;  // the same of the whole archive, where it unpacks to more than 256 MiB
    std::size_t depth = 32;    // folders in one another
    std::size_t name = 1024;   // bytes of a path
};

/// An unpacked archive (FMU or SSP): a private temporary folder, removed with the object. Path traversal, absolute
/// paths, symbolic links and absurd sizes are refused before anything is written.
class Archive {
public:
    explicit Archive(const std::filesystem::path& file, const ArchiveLimits& limits = {});

    [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }
    [[nodiscard]] const std::string& sha256() const { return sha256_; }
    /// Files that are there twice with the same content, which does no harm.
    [[nodiscard]] const std::vector<std::string>& repeated() const { return repeated_; }

private:
    friend class ArchiveCache;
    Archive(const std::filesystem::path& file, std::string sha256, const ArchiveLimits& limits,
            bool (*wanted)(const std::filesystem::path& relative));

    TemporaryFolder folder_;
    std::string sha256_;
    std::vector<std::string> repeated_;
};

/// FMUs to run by content: the same bytes are unpacked once, whatever their file is called, without documentation and
/// sources. Belongs to one thread; what it
/// hands out lives as long as the cache.
class ArchiveCache {
public:
    [[nodiscard]] const Archive& get(const std::filesystem::path& file, const ArchiveLimits& limits = {});

private:
    std::map<std::string, Archive> archives_;  // by SHA-256; a map, so that references stay good
};

}  // namespace master::base
