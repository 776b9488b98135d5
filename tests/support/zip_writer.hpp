#pragma once

#include "master/base/temporary_folder.hpp"
#include "tests/support/scratch.hpp"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace tests {

/// One entry of an archive, honest or not. `stated_size` is what the directory claims.
struct ZipEntry {
    std::string name;
    std::string content;
    std::uint32_t mode = 0;  // Unix file mode, 0 = none
    std::int64_t stated_size = -1;
    std::int64_t stated_packed_size = -1;
};

inline std::uint32_t crc32(std::string_view bytes) {
    std::uint32_t crc = 0xffffffffU;
    for (const char byte : bytes) {
        crc ^= static_cast<unsigned char>(byte);
        for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xedb88320U : 0U);
    }
    return ~crc;
}

/// Writes archives (stored, not deflated) byte by byte, because a well-behaved library refuses to write hostile ones.
class ZipWriter {
public:
    void add(const ZipEntry& entry) {
        const auto offset = static_cast<std::uint32_t>(bytes_.size());
        const auto real = static_cast<std::uint32_t>(entry.content.size());
        const auto size = entry.stated_size < 0 ? real : static_cast<std::uint32_t>(entry.stated_size);
        const auto packed = entry.stated_packed_size < 0 ? real : static_cast<std::uint32_t>(entry.stated_packed_size);
        const std::uint32_t crc = crc32(entry.content);
        put(bytes_, 4, 0x04034b50);
        put(bytes_, 2, 20);
        put_common(bytes_, crc, packed, size, entry.name);
        bytes_ += entry.name + entry.content;

        last_ = directory_.size();
        put(directory_, 4, 0x02014b50);
        put(directory_, 2, (3U << 8U) | 20U);  // made on Unix
        put(directory_, 2, 20);
        put_common(directory_, crc, packed, size, entry.name);
        put(directory_, 2, 0);                  // comment
        put(directory_, 2, 0);                  // disk
        put(directory_, 2, 0);                  // internal attributes
        put(directory_, 4, entry.mode << 16U);  // external attributes
        put(directory_, 4, offset);
        directory_ += entry.name;
        ++count_;
    }

    /// Another entry of the directory for the bytes of the last one.
    void repeat_last(const std::string& name) {
        constexpr std::size_t fixed = 46;
        std::string copy = directory_.substr(last_, fixed);
        copy[28] = static_cast<char>(name.size());
        directory_ += copy + name;
        ++count_;
    }

    [[nodiscard]] std::string bytes() const {
        std::string all = bytes_ + directory_;
        put(all, 4, 0x06054b50);
        put(all, 4, 0);
        put(all, 2, count_);
        put(all, 2, count_);
        put(all, 4, static_cast<std::uint32_t>(directory_.size()));
        put(all, 4, static_cast<std::uint32_t>(bytes_.size()));
        put(all, 2, 0);
        return all;
    }

private:
    static void put(std::string& to, int width, std::uint32_t value) {
        for (int i = 0; i < width; ++i) to += static_cast<char>((value >> (8 * i)) & 0xffU);
    }
    static void put_common(std::string& to, std::uint32_t crc, std::uint32_t packed, std::uint32_t size,
                           const std::string& name) {
        put(to, 2, 0x0800);  // names are UTF-8
        put(to, 2, 0);       // stored
        put(to, 4, 0x00210000);
        put(to, 4, crc);
        put(to, 4, packed);
        put(to, 4, size);
        put(to, 2, static_cast<std::uint32_t>(name.size()));
        put(to, 2, 0);
    }

    std::string bytes_;
    std::string directory_;
    std::uint32_t count_ = 0;
    std::size_t last_ = 0;  // where the last entry of the directory begins
};

inline std::string zip_of(const std::vector<ZipEntry>& entries) {
    ZipWriter writer;
    for (const ZipEntry& entry : entries) writer.add(entry);
    return writer.bytes();
}

inline void write_file(const std::filesystem::path& file, std::string_view content) {
    std::ofstream(file, std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
}

/// Sends temporary folders elsewhere while it lives.
class TemporaryFoldersIn {
public:
    explicit TemporaryFoldersIn(const std::filesystem::path& folder) { setenv("TMPDIR", folder.c_str(), 1); }
    ~TemporaryFoldersIn() {
        if (before_.empty()) {
            unsetenv("TMPDIR");
        } else {
            setenv("TMPDIR", before_.c_str(), 1);
        }
    }
    TemporaryFoldersIn(const TemporaryFoldersIn&) = delete;
    TemporaryFoldersIn& operator=(const TemporaryFoldersIn&) = delete;

private:
    std::string before_ = getenv("TMPDIR") == nullptr ? "" : getenv("TMPDIR");
};

}  // namespace tests
