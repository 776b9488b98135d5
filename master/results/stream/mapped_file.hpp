#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

namespace master::results {

/// A file that is read from its front to its end, without reading all of it into memory.
class MappedFile {
public:
    /// Throws `Error` where it cannot be read.
    explicit MappedFile(const std::filesystem::path& file);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    [[nodiscard]] std::string_view text() const { return {static_cast<const char*>(memory_), size_}; }
    [[nodiscard]] std::span<const std::uint8_t> bytes() const {
        return {static_cast<const std::uint8_t*>(memory_), size_};
    }
    /// What lies before is not needed any more and gives its memory back, a few megabytes at a time.
    void forget_before(const void* at);

private:
    std::size_t size_, forgotten_ = 0;
    void* memory_;
};

}  // namespace master::results
