#pragma once

#include "master/base/diagnostics.hpp"

#include <filesystem>
#include <string>

namespace master::ssp {

/// Packs a folder with SystemStructure.ssd into an .ssp: equal content gives equal bytes. Hidden files are left out.
/// Throws `Error`, and writes nothing, when the system has errors or needs files outside the folder.
void pack(const std::filesystem::path& folder, const std::filesystem::path& target, base::Diagnostics& diagnostics);

/// The text of a small system description to start from. It runs as it is with a table beside it.
[[nodiscard]] std::string new_system(const std::string& name);
[[nodiscard]] std::string new_table();
constexpr const char* new_table_name = "resources/drive.csv";  // relative to the description

}  // namespace master::ssp
