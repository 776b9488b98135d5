#pragma once

#include "master/fmi/description/model_description.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace master::fmi {

/// Name of this platform's folder under `binaries/`, as the FMI version spells it.
[[nodiscard]] std::string_view platform_folder(Version version);

/// Where the binary for this platform has to be, relative to the FMU.
[[nodiscard]] std::string binary_of(const ModelDescription& description, const InterfaceDescription& interface);

/// Why an unpacked FMU has nothing to load here and which platforms it is for; empty where the binary is there.
[[nodiscard]] std::string missing_binary(const std::filesystem::path& folder, const ModelDescription& description,
                                         const InterfaceDescription& interface);

/// Why there cannot be a second unit of an FMU in this process; empty where there can.
[[nodiscard]] std::string no_second_instance(const std::filesystem::path& file, const InterfaceDescription& interface);

}  // namespace master::fmi
