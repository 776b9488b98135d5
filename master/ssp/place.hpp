#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace master::ssp {

/// Where relative sources of a file start, and the folder they may not leave (inside an archive).
struct Place {
    std::filesystem::path folder;
    std::string shown;  // how that folder is called in messages; empty for the current one
    std::optional<std::filesystem::path> confined_to;
};

/// A source attribute taken apart: the file, and what stands after '#'.
struct Located {
    std::filesystem::path file;
    std::string shown;
    std::string fragment;
};

/// Finds the file of a source attribute (a relative URI, percent-encoded). Throws `Error` with `where` when it is
/// missing, leaves the archive, or has a scheme that cannot be followed.
[[nodiscard]] Located locate(std::string_view source, const Place& place, const std::string& where);

[[nodiscard]] std::string percent_decoded(std::string_view text);

}  // namespace master::ssp
