#pragma once

#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <filesystem>
#include <span>
#include <stdlib.h>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

namespace tests {

inline void write_whole(int file, std::span<const std::uint8_t> bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::write(file, bytes.data(), bytes.size());
        if (count <= 0) abort();
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
}

/// An input of a decoder that wants a file: one in memory, under the path of its descriptor.
class InputFile {
public:
    InputFile(const std::uint8_t* data, std::size_t size) : descriptor_(memfd_create("input", MFD_CLOEXEC)) {
        write_whole(descriptor_, {data, size});
    }
    ~InputFile() { close(descriptor_); }
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    [[nodiscard]] std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

private:
    int descriptor_;
};

/// A folder in memory for decoders that look beside their file; made once per process and kept.
class InputFolder {
public:
    InputFolder() {
        std::string pattern = "/dev/shm/tandem-fuzz-XXXXXX";
        if (::mkdtemp(pattern.data()) == nullptr) abort();
        folder_ = pattern;
    }
    ~InputFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    InputFolder(const InputFolder&) = delete;
    InputFolder& operator=(const InputFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return folder_; }
    void write(const std::string& name, std::span<const std::uint8_t> bytes) const {
        std::filesystem::create_directories((folder_ / name).parent_path());
        const int file = ::open((folder_ / name).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        if (file < 0) abort();
        write_whole(file, bytes);
        close(file);
    }
    void write(const std::string& name, std::string_view text) const {
        write(name, std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
    }

private:
    std::filesystem::path folder_;
};

}  // namespace tests
