#pragma once

#include <filesystem>
#include <string>

namespace master::fmi {

/// True for an unpacked FMU that says in its manifest that it simulates a bus (FMI-LS-BUS, isBusSimulationFMU). `shown`
/// stands for the FMU in messages. Throws `Error` where the manifest is no XML.
[[nodiscard]] bool is_bus_simulation(const std::filesystem::path& folder, const std::string& shown);

}  // namespace master::fmi
