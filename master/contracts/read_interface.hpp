#pragma once

#include "master/base/diagnostics.hpp"
#include "master/build/parts.hpp"
#include "master/contracts/interface.hpp"

#include <filesystem>

namespace master::contracts {

/// Reads an .fmu, .ssd, .ssp, folder, .ssb, .dbc or mapping of a .dbc (.xml). Loads no FMU. Throws `Error`.
[[nodiscard]] Interface read_interface(const std::filesystem::path& file, base::Diagnostics& diagnostics);

/// The interfaces in a system that was read already; steps are left open.
[[nodiscard]] Interface interface_of(const build::Parts& parts, const std::filesystem::path& file);

/// Reads a .dbc or a mapping of one. Signals that share bits are a warning.
[[nodiscard]] Interface read_bus(const std::filesystem::path& file, base::Diagnostics& diagnostics);

}  // namespace master::contracts
