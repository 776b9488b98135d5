#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace master::base {

/// SHA-256 of a file's content, in lower-case hexadecimal; throws `Error` when it cannot be read.
[[nodiscard]] std::string sha256_of(const std::filesystem::path& file);

/// SHA-256 of bytes in memory.
[[nodiscard]] std::string sha256_of_bytes(std::string_view bytes);

}  // namespace master::base
