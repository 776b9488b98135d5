#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace fmus {

enum class FmiVersion { fmi2 = 2, fmi3 = 3 };

/// Writes the files of an unpacked FMU that come from the unit's declarations: model description, documentation,
/// terminals. The unit's resources are in `folder`/resources already. Remarks are given to `note`.
void write_generated_files(FmiVersion version, const std::filesystem::path& folder,
                           const std::function<void(const std::string&)>& note);

}  // namespace fmus
