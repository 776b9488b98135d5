#pragma once

#include <filesystem>
#include <string>

namespace master::base {

/// SHA-256 of a file's content, in lower-case hexadecimal; throws `Error` when it cannot be read.
[[nodiscard]] std::string sha256_of(const std::filesystem::path& file);

}  // namespace master::base
