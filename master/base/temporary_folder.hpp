#pragma once

#include <filesystem>
#include <string>

namespace master::base {

/// A private folder (mode 0700) under TMPDIR or /tmp, removed with the object.
class TemporaryFolder {
public:
    /// `prefix` begins the folder's name; the rest is random.
    explicit TemporaryFolder(const std::string& prefix);
    ~TemporaryFolder();
    TemporaryFolder(TemporaryFolder&& other) noexcept;
    TemporaryFolder& operator=(TemporaryFolder&& other) noexcept;
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    void remove() noexcept;

    std::filesystem::path path_;  // empty after a move
};

}  // namespace master::base
