#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace master::ssp {

/// Makes NAME/SystemStructure.ssd below `where`; refuses to touch what is there. Returns what was written.
std::vector<std::filesystem::path> scaffold_system(const std::filesystem::path& where, const std::string& name);

/// Makes a model, its FMU and its line in fmus/CMakeLists.txt in a checkout; refuses to touch what is there.
std::vector<std::filesystem::path> scaffold_fmu(const std::filesystem::path& checkout, const std::string& name);

}  // namespace master::ssp
