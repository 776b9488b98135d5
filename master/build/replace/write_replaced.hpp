#pragma once

#include "master/build/options.hpp"
#include "master/build/replace/replace.hpp"

#include <filesystem>
#include <span>
#include <string>

namespace master::build {

/// The name of the new unit inside the nested system that takes the place of a component.
inline constexpr const char* unit_inside = "unit";

/// The text of the system description with each replaced component as a nested system: its connectors are those of the
/// old unit, its connections hold names, gains and offsets, its units are defined; any SSP tool reads it. Sources are
/// relative to the folder of `target`. What was set on the command line alone is not in it. Throws `Error` for what
/// cannot be written down that way.
[[nodiscard]] std::string replaced_system(const BuildOptions& options, std::span<const Replaced> replaced,
                                          const std::filesystem::path& target);

}  // namespace master::build
