#pragma once

#include "master/fmi/library/elf.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace master::fmi {

/// Where the system's loader would find the library `name` that `asking`, which lies in `folder`, needs: its run path,
/// LD_LIBRARY_PATH, the folders of /etc/ld.so.conf and the usual ones. Nothing is opened for execution.
[[nodiscard]] std::optional<std::filesystem::path> find_shared_library(const std::string& name,
                                                                       const SharedObject& asking,
                                                                       const std::filesystem::path& folder);

/// Libraries that `library`, or one that it brings along inside `root`, needs and that are not on this machine.
[[nodiscard]] std::vector<std::string> missing_libraries(const std::filesystem::path& library,
                                                         const std::filesystem::path& root);

}  // namespace master::fmi
