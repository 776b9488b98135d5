#pragma once

#include "master/fmi/description/model_description.hpp"

#include <filesystem>
#include <string>

namespace master::fmi {

/// Where an unpacked FMU has its resources, as its version of FMI wants to be told: a file URI (FMI 2), or the path
/// with a separator at its end, empty without such a folder (FMI 3).
[[nodiscard]] std::string resource_location(const std::filesystem::path& folder, Version version);

}  // namespace master::fmi
