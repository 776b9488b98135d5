#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace master::fmi {

/// What a shared object asks of the loader, read without loading it.
struct SharedObject {
    std::vector<std::string> needed;
    std::string run_path;                // DT_RUNPATH or DT_RPATH, empty if none
    std::vector<std::string> functions;  // those it defines for all
    std::vector<std::string> undefined;  // names that something else must define
};

/// Nothing when the file is no 64-bit little-endian ELF object or its tables are damaged.
[[nodiscard]] std::optional<SharedObject> read_shared_object(const std::filesystem::path& file);

}  // namespace master::fmi
