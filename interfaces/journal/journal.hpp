#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What came into a simulation from outside, kept with the communication point at which it entered, so that a repeat
/// plays it. The file begins with "tandem journal KIND\n"; then, little endian: int64 point in ns, uint32 size, bytes.
namespace interfaces::journal {

inline constexpr std::size_t largest_entry = 1U << 26U;

class Writer {
public:
    /// Throws std::runtime_error where the file cannot be written. The kind is a word that names the format of entries.
    Writer(const std::string& path, std::string_view kind);

    void add(std::int64_t point, std::span<const std::uint8_t> entry);
    /// Writes what was added. Throws std::runtime_error where that is impossible: what came would be lost.
    void finish_point();

private:
    std::string path_;
    std::ofstream file_;
    std::vector<std::uint8_t> entries_;
};

class Reader {
public:
    /// Throws std::runtime_error where there is no such file, or where it is a journal of something else.
    Reader(const std::string& path, std::string_view kind);

    /// The next entry that entered up to this point; its bytes stand until the next call. Throws std::runtime_error for
    /// a damaged file.
    [[nodiscard]] std::optional<std::span<const std::uint8_t>> next(std::int64_t point);

private:
    void read_head();
    std::string path_;
    std::ifstream file_;
    std::optional<std::int64_t> point_;  // of the entry that follows
    std::uint32_t size_ = 0;
    std::vector<std::uint8_t> entry_;
};

}  // namespace interfaces::journal
