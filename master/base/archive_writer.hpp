#pragma once

#include <filesystem>

namespace master::base {

/// The files of a folder as one zip archive, written whole or not at all; equal content gives equal bytes. Hidden files
/// are left out.
void write_archive(const std::filesystem::path& folder, const std::filesystem::path& target);

}  // namespace master::base
