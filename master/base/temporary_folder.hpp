#pragma once

#include <filesystem>
#include <string>

namespace master::base {

/// A private folder (mode 0700) under TMPDIR or /tmp, removed with the object. It holds a locked file by which others
/// see that its owner lives.
class TemporaryFolder {
public:
    /// `prefix` begins the folder's name, and begins itself with "tandem-"; the rest is random.
    explicit TemporaryFolder(const std::string& prefix);
    ~TemporaryFolder();
    TemporaryFolder(TemporaryFolder&& other) noexcept;
    TemporaryFolder& operator=(TemporaryFolder&& other) noexcept;
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    void remove() noexcept;

    std::filesystem::path root_;  // empty after a move
    std::filesystem::path path_;  // in it
    int owner_ = -1;              // the locked file in it
};

/// Removes temporary folders of this user whose owner died before it could.
void remove_abandoned_folders();

}  // namespace master::base
